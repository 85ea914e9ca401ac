package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Like arithmetic in any number of digits. */
class WideMathTest {
  @ParameterizedTest(name = "({0} × {1} + {2}) / {3}")
  @CsvSource({
    "0, 0, 0, 1",
    "7, 3, 0, 2",
    "7, 3, 1, 2",
    "3037000500, 3037000500, 0, 10", // just above 2^63
    "3037000499, 3037000499, 0, 10", // just below
    "9223372036854775807, 1, 0, 9223372036854775807",
    "2305843009213693951, 4, 3, 2305843009213693951", // the sum, not the product, is too wide
    "2305843009213693951, 4, 4, 8",
    "1577880000000000, 2147483648, 2147483647, 1577880000001",
    "1577880000000, 2147483648, 0, 1577880000000",
    "2147483648, 1577880000000, 2147483647, 2147483648",
    "1, 2, 2305843009213693951, 3",
  })
  void isRoundedDown(long a, long b, long c, long divisor) {
    assertThat(WideMath.divide(a, b, c, divisor)).isEqualTo(model(a, b, c, divisor));
  }

  @Test
  void isExactForAnyNumbers() {
    Random random = new Random(42);
    int wide = 0;
    for (int i = 0; i < 20_000; i++) {
      long a = random.nextLong() >>> 3 + random.nextInt(50);
      long b = random.nextLong() >>> 3 + random.nextInt(50);
      long c = random.nextLong() >>> 3 + random.nextInt(50);
      long divisor = 1 + (random.nextLong() >>> 3 + random.nextInt(50));
      BigInteger product = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
      BigInteger expected = product.add(BigInteger.valueOf(c)).divide(BigInteger.valueOf(divisor));
      if (expected.bitLength() < Long.SIZE) {
        assertThat(WideMath.divide(a, b, c, divisor))
            .as("(%d × %d + %d) / %d", a, b, c, divisor)
            .isEqualTo(expected.longValueExact());
        wide += product.bitLength() >= Long.SIZE ? 1 : 0;
      }
    }
    assertThat(wide).as("products of more than a word").isGreaterThan(1000);
  }

  private static long model(long a, long b, long c, long divisor) {
    return BigInteger.valueOf(a)
        .multiply(BigInteger.valueOf(b))
        .add(BigInteger.valueOf(c))
        .divide(BigInteger.valueOf(divisor))
        .longValueExact();
  }
}
