package io.weir.client;

import java.time.Duration;
import java.util.Objects;

/** Validates settings. */
final class SettingChecks {
  /** Longer spans would overflow nanoseconds. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private SettingChecks() {}

  static Duration positive(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero() || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be positive and at most 100 years, not " + value);
    }
    return value;
  }

  static double atLeast(String name, double min, double value) {
    if (!(value >= min) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(
          name + " must be at least " + plain(min) + ", not " + plain(value));
    }
    return value;
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
