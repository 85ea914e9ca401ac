package io.weir;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;

/** Checks that a limit lies in the range that {@link Limit} documents. */
final class LimitValidation {
  private static final long MAX_PERIOD_MILLIS = Limit.MAX_PERIOD.toMillis();

  private LimitValidation() {}

  static void permits(long permits) {
    if (permits < 0 || permits > Limit.MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be from 0 to " + Limit.MAX_PERMITS + ", but are " + permits);
    }
  }

  static void period(Duration period) {
    Objects.requireNonNull(period, "period");
    if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(Limit.MAX_PERIOD) > 0) {
      throw new IllegalArgumentException(
          "period must be from 1 ms to 50 years, but is " + text(period));
    }
    if (period.toNanosPart() % 1_000_000 != 0) {
      throw new IllegalArgumentException(
          "period must be in whole milliseconds, but is " + text(period));
    }
  }

  /**
   * Checks a burst or a queue: in its own range, filled up within the longest period, and large
   * enough for the clock's tick: see {@link Limit}.
   *
   * @param extra how many permits the bucket holds beyond {@code size}
   */
  static void bucket(
      String name, long size, long min, long max, long permits, Duration period, long extra) {
    if (size < min || size > max) {
      throw new IllegalArgumentException(
          name + " must be from " + min + " to " + max + ", but is " + size);
    }
    if (permits == 0) {
      return;
    }
    BigInteger inFlow = BigInteger.valueOf(permits);
    BigInteger fill =
        BigInteger.valueOf(size + extra).multiply(BigInteger.valueOf(period.toMillis()));
    if (fill.compareTo(inFlow.multiply(BigInteger.valueOf(MAX_PERIOD_MILLIS))) > 0) {
      throw new IllegalArgumentException(
          name
              + " "
              + size
              + " at "
              + permits
              + " per "
              + text(period)
              + " takes more than 50 years to fill");
    }
    BigInteger finest = BigInteger.valueOf(period.toMillis() * 1000);
    if (inFlow.compareTo(finest) > 0 && holdsLessThanTwoTicks(size + extra, permits, finest)) {
      BigInteger needed = inFlow.add(inFlow).add(finest).subtract(BigInteger.ONE).divide(finest);
      throw new IllegalArgumentException(
          name
              + " must be at least "
              + needed.subtract(BigInteger.valueOf(extra))
              + (" at "
                  + permits
                  + " per "
                  + text(period)
                  + " (what flows in within two microseconds)")
              + (", but is " + size));
    }
  }

  private static boolean holdsLessThanTwoTicks(
      long capacity, long permits, BigInteger periodTicks) {
    BigInteger fill = BigInteger.valueOf(capacity).multiply(periodTicks);
    return fill.compareTo(BigInteger.valueOf(permits).shiftLeft(1)) < 0;
  }

  /** As many places as permits, or as many as drain within the longest period. */
  static long queue(long permits, Duration period) {
    permits(permits);
    period(period);
    long drained =
        BigInteger.valueOf(permits)
            .multiply(BigInteger.valueOf(MAX_PERIOD_MILLIS))
            .divide(BigInteger.valueOf(period.toMillis()))
            .min(BigInteger.valueOf(Limit.MAX_PERMITS))
            .longValueExact();
    return Math.max(0, Math.min(permits, drained - 1));
  }

  /**
   * A microsecond if more than one permit flows in per millisecond and the bucket holds so few that
   * a tick of a millisecond would let some overflow; else a millisecond.
   */
  static Duration bucketTick(long capacity, long permits, Duration period) {
    BigInteger millis = BigInteger.valueOf(period.toMillis());
    boolean fine =
        BigInteger.valueOf(permits).compareTo(millis) > 0
            && holdsLessThanTwoTicks(capacity, permits, millis);
    return fine ? Duration.ofNanos(1000) : Duration.ofMillis(1);
  }

  /** How long it takes to fill an empty bucket, in whole milliseconds. */
  static Duration fillTime(long capacity, long permits, Duration period) {
    if (permits == 0) {
      return Duration.ZERO;
    }
    BigInteger inFlow = BigInteger.valueOf(permits);
    BigInteger fill =
        BigInteger.valueOf(capacity)
            .multiply(BigInteger.valueOf(period.toMillis()))
            .add(inFlow.subtract(BigInteger.ONE));
    return Duration.ofMillis(fill.divide(inFlow).longValueExact());
  }

  static String text(Duration period) {
    long millis;
    try {
      millis = period.toMillis();
    } catch (ArithmeticException e) {
      return period.toString();
    }
    if (period.toNanosPart() % 1_000_000 != 0) {
      return period.toString();
    }
    if (millis != 0) {
      if (millis % 86_400_000 == 0) {
        return millis / 86_400_000 + "d";
      }
      if (millis % 3_600_000 == 0) {
        return millis / 3_600_000 + "h";
      }
      if (millis % 60_000 == 0) {
        return millis / 60_000 + "m";
      }
      if (millis % 1000 == 0) {
        return millis / 1000 + "s";
      }
    }
    return millis + "ms";
  }
}
