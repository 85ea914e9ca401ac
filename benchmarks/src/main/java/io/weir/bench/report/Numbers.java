package io.weir.bench.report;

import java.util.Locale;

/** Formats numbers with a suitable number of digits. */
public final class Numbers {
  private Numbers() {}

  /** About three digits. */
  public static String three(double value) {
    double size = Math.abs(value);
    String format = size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }

  /** A whole number with separators. */
  public static String whole(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
