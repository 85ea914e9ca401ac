package io.weir.rules.file;

import io.weir.Limit;
import io.weir.rules.text.Excerpt;
import io.weir.text.DidYouMean;
import io.weir.text.DurationParser;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The period of a rate: {@code minute}, {@code 30s}, {@code 15 minutes}, or {@code s} for {@code
 * 1s}.
 *
 * @param length its length; empty for months and years, which vary
 * @param calendar its calendar unit; empty for a duration with a number: {@code 1d} is 24 hours
 */
record Period(Optional<Duration> length, Optional<Limit.Calendar> calendar) {
  private static final Pattern WITH_NUMBER = Pattern.compile("(\\d+) *([^\\d\\s]+)");

  /** Common short forms and their names here; they are too short for the spelling hints. */
  private static final Map<String, String> MEANT =
      Map.of(
          "sec", "second", "secs", "seconds", "min", "minute", "mins", "minutes", "hr", "hour",
          "hrs", "hours", "w", "week", "y", "year");

  private static final Map<String, Period> UNITS = new LinkedHashMap<>();
  private static final Map<String, Duration> AFTER_NUMBER = new LinkedHashMap<>();

  static {
    unit("second", Duration.ofSeconds(1));
    unit("minute", Duration.ofMinutes(1));
    unit("hour", Duration.ofHours(1));
    UNITS.put("day", new Period(Duration.ofDays(1), Limit.Calendar.DAY));
    UNITS.put("week", new Period(Duration.ofDays(7), Limit.Calendar.WEEK));
    UNITS.put("month", new Period(Optional.empty(), Optional.of(Limit.Calendar.MONTH)));
    UNITS.put("year", new Period(Optional.empty(), Optional.of(Limit.Calendar.YEAR)));
    List.of("ms", "s", "m", "h", "d")
        .forEach(unit -> AFTER_NUMBER.put(unit, DurationParser.unit(unit)));
    AFTER_NUMBER.put("millisecond", Duration.ofMillis(1));
    UNITS.forEach(
        (word, period) -> period.length.ifPresent(length -> AFTER_NUMBER.put(word, length)));
  }

  private Period(Duration length, Limit.Calendar calendar) {
    this(Optional.of(length), Optional.of(calendar));
  }

  private static void unit(String word, Duration length) {
    UNITS.put(word, new Period(Optional.of(length), Optional.empty()));
  }

  /**
   * Reads a period.
   *
   * @throws IllegalArgumentException if it is invalid; the message contains the reason
   */
  static Period parse(String text) {
    Period unit = UNITS.get(text);
    if (unit != null) {
      return unit;
    }
    if (text.length() <= 2 && AFTER_NUMBER.containsKey(text)) {
      return parse("1" + text); // 10/s
    }
    Matcher form = WITH_NUMBER.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "unknown period " + Excerpt.quoted(text) + hint(text, UNITS.keySet().stream()));
    }
    String word = form.group(2);
    String singular =
        word.length() > 3 && word.endsWith("s") ? word.substring(0, word.length() - 1) : word;
    Duration one = AFTER_NUMBER.get(singular);
    if (one == null) {
      boolean isOfCalendar = UNITS.containsKey(singular);
      throw new IllegalArgumentException(
          "unknown unit "
              + Excerpt.quoted(word)
              + " after a number"
              + (isOfCalendar ? "; count in days: 30d, 365d" : hint(word, words())));
    }
    return new Period(Optional.of(times(one, form.group(1))), Optional.empty());
  }

  private static Duration times(Duration one, String number) {
    // Twelve digits are more than 50 years in any unit, and cannot overflow.
    if (number.length() > 12) {
      throw new IllegalArgumentException("period must be from 1 ms to 50 years");
    }
    return one.multipliedBy(Long.parseLong(number));
  }

  private static Stream<String> words() {
    return AFTER_NUMBER.keySet().stream()
        .flatMap(word -> word.length() > 3 ? Stream.of(word, word + "s") : Stream.of(word));
  }

  private static String hint(String word, Stream<String> words) {
    String meant = MEANT.get(word);
    String guess =
        meant == null ? DidYouMean.of(word, words.toList()) : "; did you mean '" + meant + "'?";
    return guess.isEmpty()
        ? "; write second, minute, hour, day, week, month or year, or 250ms, 30s, 15m, 2h or 7d"
        : guess;
  }

  /** The names of the units. */
  static List<String> units() {
    return List.copyOf(UNITS.keySet());
  }
}
