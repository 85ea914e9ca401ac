package io.weir.rules.file;

import io.weir.Limit;
import io.weir.rules.text.Excerpt;
import java.math.BigInteger;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Permits per period: {@code 10 per second}, {@code 500/15m}. */
record RateSpec(long permits, Period period) {
  private static final Pattern FORM = Pattern.compile("(\\S+?)(?: +per +| */ *)(\\S.*)");
  private static final Pattern WHOLE = Pattern.compile("\\d{1,18}");
  private static final Pattern DECIMAL = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})");
  private static final Pattern GROUPED = Pattern.compile("\\d+([_,'’]\\d+)+");

  /**
   * Reads a rate.
   *
   * @throws IllegalArgumentException if it is invalid; the message contains the reason
   */
  static RateSpec parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          Excerpt.quoted(text)
              + " is not a rate; write a number and a time: 10 per second, 500/15m");
    }
    Period period = Period.parse(form.group(2));
    String number = form.group(1);
    if (!WHOLE.matcher(number).matches()) {
      throw new IllegalArgumentException(
          "a rate starts with a whole number, not "
              + Excerpt.quoted(number)
              + whyNotWhole(number, form.group(2), period));
    }
    return new RateSpec(Long.parseLong(number), period);
  }

  private static String whyNotWhole(String number, String per, Period period) {
    if (GROUPED.matcher(number).matches()) {
      return "; write " + number.replaceAll("\\D", "");
    }
    Matcher decimal = DECIMAL.matcher(number);
    if (!decimal.matches() || period.length().isEmpty()) {
      return "";
    }
    BigInteger denominator = BigInteger.TEN.pow(decimal.group(2).length());
    BigInteger numerator = new BigInteger(decimal.group(1) + decimal.group(2));
    BigInteger common = numerator.gcd(denominator);
    BigInteger millis =
        BigInteger.valueOf(period.length().get().toMillis()).multiply(denominator).divide(common);
    if (numerator.signum() == 0 || millis.bitLength() > 62) {
      return "";
    }
    return "; %s per %s is %s per %s"
        .formatted(
            number, Excerpt.of(per), numerator.divide(common), inWords(millis.longValueExact()));
  }

  /** A duration as it is written in a rule. */
  private static String inWords(long millis) {
    Duration length = Duration.ofMillis(millis);
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    if (length.toSecondsPart() != 0) {
      return length.toSeconds() + "s";
    }
    if (length.toMinutesPart() != 0) {
      return length.toMinutes() + "m";
    }
    return length.toHoursPart() != 0 ? length.toHours() + "h" : length.toDays() + "d";
  }

  /**
   * The length of the period for algorithms that do not use the calendar.
   *
   * @throws IllegalArgumentException for months and years
   */
  Duration length(AlgorithmSyntax algorithmSyntax) {
    return period
        .length()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "a calendar "
                        + period
                            .calendar()
                            .map(Limit.Calendar::name)
                            .orElse("")
                            .toLowerCase(java.util.Locale.ROOT)
                        + " is for fixed-window only, and this is "
                        + algorithmSyntax
                        + "; use "
                        + (period.calendar().equals(java.util.Optional.of(Limit.Calendar.MONTH))
                            ? "30d"
                            : "365d")));
  }

  /** The span of a fixed window: a calendar unit if the period is one. */
  Limit.Span span() {
    return period.calendar().isPresent()
        ? period.calendar().get()
        : new Limit.Length(period.length().orElseThrow());
  }
}
