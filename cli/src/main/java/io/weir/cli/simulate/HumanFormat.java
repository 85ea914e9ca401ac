package io.weir.cli.simulate;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Formats numbers and times for people. A terminal groups digits by commas; a page by narrow
 * no-break spaces.
 */
enum HumanFormat {
  TERMINAL(",", " "),
  PAGE("\u202f", "\u00a0");

  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final String group;
  private final String space;

  HumanFormat(String group, String space) {
    this.group = group;
    this.space = space;
  }

  /** {@code 1,234,567}. */
  String count(long number) {
    return String.format(Locale.ROOT, "%,d", number).replace(",", group);
  }

  /** {@code 1 request}, {@code 2,000 requests}. */
  String count(long number, String thing) {
    return count(number) + space + thing + (number == 1 ? "" : "s");
  }

  /** Formats like {@code 12.3 %}. Only zero is shown as 0 %, and only the whole as 100 %. */
  String percent(double share) {
    double percent = 100 * share;
    if (percent > 0 && percent < 0.1) {
      return "<" + space + "0.1" + space + "%";
    }
    if (percent > 99.9 && percent < 100) {
      return ">" + space + "99.9" + space + "%";
    }
    boolean isWhole = percent == 0 || percent == 100;
    return String.format(Locale.ROOT, isWhole ? "%.0f" : "%.1f", percent) + space + "%";
  }

  /** Formats like {@code 12 %}, for sentences. */
  String roughPercent(double share) {
    double percent = 100 * share;
    return percent < 10 || percent > 99 ? percent(share) : Math.round(percent) + space + "%";
  }

  /** The share of {@code part} in {@code whole}; 0 of nothing. */
  static double share(long part, long whole) {
    return whole == 0 ? 0 : (double) part / whole;
  }

  /** {@code 2026-03-02 08:15:00}, in UTC. */
  String moment(Instant instant) {
    return MOMENT.format(instant);
  }

  /** The one or two largest units: {@code 23 h 59 min}, {@code 3 d}, {@code 40 ms}. */
  String length(Duration length) {
    long millis = length.toMillis();
    if (millis < 1000) {
      return millis + space + "ms";
    }
    long[] units = {86_400_000, 3_600_000, 60_000, 1000};
    String[] names = {"d", "h", "min", "s"};
    for (int i = 0; i < units.length; i++) {
      if (millis >= units[i]) {
        String text = count(millis / units[i]) + space + names[i];
        long rest = i + 1 < units.length ? millis % units[i] / units[i + 1] : 0;
        return rest == 0 ? text : text + space + rest + space + names[i + 1];
      }
    }
    return "";
  }

  /** A span of a chart in words: {@code 10 minutes}, {@code second}. */
  static String span(Duration span) {
    long millis = span.toMillis();
    long[] units = {86_400_000, 3_600_000, 60_000, 1000, 1};
    String[] names = {"day", "hour", "minute", "second", "millisecond"};
    for (int i = 0; i < units.length; i++) {
      if (millis % units[i] == 0) {
        long many = millis / units[i];
        return many == 1 ? names[i] : many + "\u00a0" + names[i] + "s";
      }
    }
    return millis + "\u00a0ms";
  }

  /** A key shortened for display, with control and bidirectional characters made visible. */
  static String shortened(String text, int maxLength) {
    String plain = plain(text);
    if (plain.codePointCount(0, plain.length()) <= maxLength) {
      return plain;
    }
    int[] points = plain.codePoints().toArray();
    int tail = maxLength / 3;
    int head = maxLength - tail - 1;
    return new String(points, 0, head) + "…" + new String(points, points.length - tail, tail);
  }

  /** The text with invisible or misleading characters replaced by a mark. */
  static String plain(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              int type = Character.getType(point);
              boolean unseen =
                  type == Character.CONTROL
                      || type == Character.FORMAT
                      || type == Character.SURROGATE
                      || type == Character.UNASSIGNED
                      || type == Character.LINE_SEPARATOR
                      || type == Character.PARAGRAPH_SEPARATOR;
              plain.appendCodePoint(unseen ? 0xFFFD : point);
            });
    return plain.toString();
  }
}
