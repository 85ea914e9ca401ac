package io.weir.tck.model;

import java.math.BigInteger;

/**
 * An exact rational number, in lowest terms with a positive denominator. Immutable.
 *
 * @param numerator of any sign
 * @param denominator greater than zero
 */
public record Fraction(BigInteger numerator, BigInteger denominator)
    implements Comparable<Fraction> {
  /** Zero. */
  public static final Fraction ZERO = of(0);

  /** One. */
  public static final Fraction ONE = of(1);

  /** Reduces the fraction to its lowest terms. */
  public Fraction {
    if (denominator.signum() == 0) {
      throw new ArithmeticException(numerator + " divided by zero");
    }
    if (!denominator.equals(BigInteger.ONE)) {
      BigInteger shared = numerator.gcd(denominator);
      if (denominator.signum() < 0) {
        shared = shared.negate();
      }
      numerator = numerator.divide(shared);
      denominator = denominator.divide(shared);
    }
  }

  /** A whole number. */
  public static Fraction of(long whole) {
    return new Fraction(BigInteger.valueOf(whole), BigInteger.ONE);
  }

  /** {@code numerator / denominator}. */
  public static Fraction of(long numerator, long denominator) {
    return new Fraction(BigInteger.valueOf(numerator), BigInteger.valueOf(denominator));
  }

  /** The sum. */
  public Fraction plus(Fraction that) {
    return new Fraction(
        numerator.multiply(that.denominator).add(that.numerator.multiply(denominator)),
        denominator.multiply(that.denominator));
  }

  /** The difference. */
  public Fraction minus(Fraction that) {
    return plus(that.times(of(-1)));
  }

  /** The product. */
  public Fraction times(Fraction that) {
    return new Fraction(numerator.multiply(that.numerator), denominator.multiply(that.denominator));
  }

  /** The product with a whole number. */
  public Fraction times(long whole) {
    return times(of(whole));
  }

  /** The quotient. */
  public Fraction dividedBy(Fraction that) {
    return new Fraction(numerator.multiply(that.denominator), denominator.multiply(that.numerator));
  }

  /** The greatest whole number that is not greater. */
  public BigInteger floor() {
    BigInteger[] parts = numerator.divideAndRemainder(denominator);
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }

  /** The greatest multiple of {@code step} that is not greater. */
  public Fraction roundedDownTo(Fraction step) {
    return new Fraction(dividedBy(step).floor(), BigInteger.ONE).times(step);
  }

  /** The smallest multiple of {@code step} that is not less. */
  public Fraction roundedUpTo(Fraction step) {
    return times(-1).roundedDownTo(step).times(-1);
  }

  /** The lesser of two. */
  public Fraction min(Fraction that) {
    return compareTo(that) <= 0 ? this : that;
  }

  /** The greater of two. */
  public Fraction max(Fraction that) {
    return compareTo(that) >= 0 ? this : that;
  }

  /** Whether this is less than {@code that}. */
  public boolean isBelow(Fraction that) {
    return compareTo(that) < 0;
  }

  /** Whether this is greater than {@code that}. */
  public boolean isAbove(Fraction that) {
    return compareTo(that) > 0;
  }

  @Override
  public int compareTo(Fraction that) {
    if (denominator.equals(that.denominator)) {
      return numerator.compareTo(that.numerator);
    }
    return numerator.multiply(that.denominator).compareTo(that.numerator.multiply(denominator));
  }

  @Override
  public String toString() {
    return denominator.equals(BigInteger.ONE)
        ? numerator.toString()
        : numerator + "/" + denominator;
  }
}
