package io.weir.rules.cases;

import java.time.Duration;

/** Formats durations as people write them. */
final class DurationText {
  private DurationText() {}

  /** {@code 0s}, {@code 250ms}, {@code 1m30s}, {@code 2h0.5s}: exact, without rounding. */
  static String text(Duration time) {
    StringBuilder text = new StringBuilder(time.isNegative() ? "-" : "");
    Duration length = time.abs();
    append(text, length.toDays(), "d");
    append(text, length.toHoursPart(), "h");
    append(text, length.toMinutesPart(), "m");
    int nanos = length.toNanosPart();
    if (length.compareTo(Duration.ofSeconds(1)) < 0 && nanos != 0 && nanos % 1_000_000 == 0) {
      return text.append(nanos / 1_000_000).append("ms").toString();
    }
    if (nanos != 0) {
      String fraction = Integer.toString(1_000_000_000 + nanos).substring(1);
      text.append(length.toSecondsPart()).append('.').append(fraction.replaceFirst("0+$", ""));
      text.append('s');
    } else if (length.toSecondsPart() != 0 || text.length() <= (time.isNegative() ? 1 : 0)) {
      text.append(length.toSecondsPart()).append('s');
    }
    return text.toString();
  }

  private static void append(StringBuilder text, long amount, String unit) {
    if (amount != 0) {
      text.append(amount).append(unit);
    }
  }
}
