package io.weir.algorithm;

/** Arithmetic with intermediate results that do not fit in a word. */
final class WideMath {
  private WideMath() {}

  /**
   * {@code (a × b + c) / divisor}, rounded down, for non-negative numbers where the result fits in
   * a word, and a, c and the divisor are less than 2⁶¹.
   */
  static long divide(long a, long b, long c, long divisor) {
    if (Math.multiplyHigh(a, b) == 0) {
      long product = a * b;
      if (product >= 0 && product + c >= 0) {
        return (product + c) / divisor;
      }
    }
    // Long multiplication by the bits of b, highest first, that divides at each step: only the
    // remainder is carried from bit to bit.
    long quotient = 0;
    long rest = 0;
    for (int bit = Long.SIZE - Long.numberOfLeadingZeros(b) - 1; bit >= 0; bit--) {
      quotient <<= 1;
      rest <<= 1;
      if ((b >>> bit & 1) == 1) {
        rest += a % divisor;
        quotient += a / divisor;
      }
      if (bit == 0) {
        rest += c % divisor;
        quotient += c / divisor;
      }
      quotient += rest / divisor;
      rest %= divisor;
    }
    return quotient;
  }
}
