package io.weir.cli.top;

import java.util.Locale;

/** Formats words and numbers for a terminal. */
final class TerminalFormat {
  private static final String BARS = "▁▂▃▄▅▆▇█";

  private TerminalFormat() {}

  /** The text in {@code width} columns, aligned left. */
  static String left(String text, int width) {
    String cut = cut(text, width);
    return cut + " ".repeat(Math.max(0, width - length(cut)));
  }

  /** The text in {@code width} columns, aligned right. */
  static String right(String text, int width) {
    String cut = cut(text, width);
    return " ".repeat(Math.max(0, width - length(cut))) + cut;
  }

  static String cut(String text, int width) {
    if (length(text) <= width) {
      return text;
    }
    return width < 1 ? "" : text.substring(0, text.offsetByCodePoints(0, width - 1)) + "…";
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** {@code 0}, {@code 0.3}, {@code 12}, {@code 3.4k}, {@code 1.2M}. */
  static String rate(double value) {
    if (value == 0) {
      return "0";
    }
    if (value < 9.95) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    return value < 9_999.5 ? String.valueOf(Math.round(value)) : count(Math.round(value));
  }

  /** A time in its best unit: {@code 640 ns}, {@code 2.5 µs}, {@code 40 ms}, {@code 1.2 s}. */
  static String micros(double micros) {
    if (micros < 1) {
      return Math.round(micros * 1e3) + " ns";
    }
    String unit = micros < 999.5 ? " µs" : micros < 999_500 ? " ms" : " s";
    double value = unit.equals(" µs") ? micros : unit.equals(" ms") ? micros / 1e3 : micros / 1e6;
    return (value < 9.95 ? trimmed(value) : String.valueOf(Math.round(value))) + unit;
  }

  private static String trimmed(double value) {
    return String.format(Locale.ROOT, "%.1f", value).replaceFirst("\\.0$", "");
  }

  static String count(long value) {
    if (value < 10_000) {
      return String.valueOf(value);
    }
    if (value < 999_950) {
      return String.format(Locale.ROOT, "%.1fk", value / 1e3);
    }
    return value < 999_950_000
        ? String.format(Locale.ROOT, "%.1fM", value / 1e6)
        : String.format(Locale.ROOT, "%.1fG", value / 1e9);
  }

  static String percent(double share) {
    return share == 0 ? "0%" : String.format(Locale.ROOT, "%.1f%%", share * 100);
  }

  /** {@code 42s}, {@code 5m 12s}, {@code 3h 5m}, {@code 2d 3h}. */
  static String time(long seconds) {
    if (seconds < 60) {
      return Math.max(0, seconds) + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m " + seconds % 60 + "s";
    }
    return seconds < 86_400
        ? seconds / 3600 + "h " + seconds / 60 % 60 + "m"
        : seconds / 86_400 + "d " + seconds / 3600 % 24 + "h";
  }

  /** Bars as high as the numbers, up to {@code max}; a gap for an unknown number. */
  static String bars(long[] counts, long max, int width) {
    StringBuilder out = new StringBuilder(width);
    int from = Math.max(0, counts.length - width);
    for (int i = from; i < counts.length; i++) {
      long count = counts[i];
      if (count < 0) {
        out.append(' ');
      } else {
        int height = max == 0 ? 0 : (int) Math.ceil((double) count / max * (BARS.length() - 1));
        out.append(BARS.charAt(Math.min(BARS.length() - 1, height)));
      }
    }
    return out.toString();
  }
}
