package io.weir.text;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Parses durations as settings, options, URLs and files have them: a whole number and a unit, such
 * as {@code 250ms}. Each place allows its own units. Immutable and thread-safe.
 */
public final class DurationParser {
  private static final Map<String, Duration> UNITS =
      Map.of(
          "us", Duration.ofNanos(1000),
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1));

  private final Pattern form;

  private DurationParser(int digits, List<String> units) {
    // Longer units first: a sum has no separators, and 1ms is not 1m.
    String longestFirst =
        units.stream()
            .sorted(Comparator.comparing(String::length).reversed())
            .collect(Collectors.joining("|"));
    form = Pattern.compile("(\\d{1," + digits + "})(" + longestFirst + ")");
  }

  /**
   * A parser of numbers of at most {@code digits} digits with one of these units: {@code us},
   * {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}.
   *
   * @throws IllegalArgumentException if a unit is unknown
   */
  public static DurationParser of(int digits, String... units) {
    List<String> all = List.of(units);
    all.forEach(DurationParser::unit);
    return new DurationParser(digits, all);
  }

  /**
   * The length of a unit.
   *
   * @throws IllegalArgumentException if it is unknown
   */
  public static Duration unit(String unit) {
    Duration length = UNITS.get(unit);
    if (length == null) {
      throw new IllegalArgumentException("unknown unit '" + unit + "'");
    }
    return length;
  }

  /** One number with a unit; empty if the text is something else. */
  public Optional<Duration> parse(String text) {
    Matcher matcher = form.matcher(text);
    return matcher.matches() ? Optional.of(length(matcher)) : Optional.empty();
  }

  /** The sum of one or more, such as {@code 1m30s}; empty if the text is something else. */
  public Optional<Duration> parseSum(String text) {
    Duration sum = Duration.ZERO;
    Matcher part = form.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (!part.region(at, text.length()).lookingAt()) {
        return Optional.empty();
      }
      sum = sum.plus(length(part));
      at = part.end();
    }
    return at == 0 ? Optional.empty() : Optional.of(sum);
  }

  private static Duration length(Matcher matcher) {
    return unit(matcher.group(2)).multipliedBy(Long.parseLong(matcher.group(1)));
  }
}
