package io.weir.redis;

import java.time.Duration;
import java.util.Locale;

/** Formats values for messages. */
final class DurationWords {
  private DurationWords() {}

  /** A duration in words: {@code 10 ms}, {@code 3.2 s}, {@code 5 min}, {@code 2.5 h}. */
  static String duration(Duration duration) {
    double millis = duration.toNanos() / 1e6;
    if (millis < 1000) {
      return number(millis) + " ms";
    }
    if (millis < 120_000) {
      return number(millis / 1000) + " s";
    }
    return millis < 7_200_000
        ? number(millis / 60_000) + " min"
        : number(millis / 3_600_000) + " h";
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
