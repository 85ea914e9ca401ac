package io.weir.client.quota;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads numbers, spans and dates of headers. An invalid value is empty, never an error. */
final class HeaderValues {
  /** Longer spans are equivalent to for ever. */
  private static final Duration LONGEST = Duration.ofDays(3650);

  /** The largest integer of a structured field, far above any real limit. */
  private static final long LARGEST = 999_999_999_999_999L;

  private static final int MAX_DIGITS = 40;

  /** Larger numbers are milliseconds since the epoch, smaller ones seconds. */
  private static final long FIRST_MILLIS = 100_000_000_000L;

  /**
   * Smaller numbers are spans. As a point in time this number was in 1985; as a span it is 15
   * years.
   */
  private static final long FIRST_SECONDS = 500_000_000L;

  private HeaderValues() {}

  /**
   * The whole number at the beginning of a text, as in {@code 100} or {@code 100;w=60}; at most
   * {@value #LARGEST}.
   */
  static OptionalLong number(@Nullable String text) {
    if (text == null) {
      return OptionalLong.empty();
    }
    String stripped = text.strip();
    int digits = 0;
    while (digits < stripped.length() && isDigit(stripped.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > MAX_DIGITS || !endsThere(stripped, digits)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(digits > 15 ? LARGEST : Long.parseLong(stripped.substring(0, digits)));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean endsThere(String text, int end) {
    return end == text.length() || " ,;.".indexOf(text.charAt(end)) >= 0;
  }

  /** Seconds; at most ten years. */
  static Optional<Duration> seconds(@Nullable String text) {
    OptionalLong number = number(text);
    return number.isEmpty() ? Optional.empty() : Optional.of(capped(number.getAsLong()));
  }

  private static Duration capped(long seconds) {
    return seconds > LONGEST.toSeconds() ? LONGEST : Duration.ofSeconds(seconds);
  }

  /** Seconds, or the time until a date. A date in the past is zero. */
  static Optional<Duration> secondsOrDate(@Nullable String text, Instant now) {
    Optional<Duration> seconds = seconds(text);
    return seconds.isPresent() ? seconds : HttpDates.read(text).map(date -> until(date, now));
  }

  /** Seconds, a point in time in seconds or milliseconds since the epoch, or a date. */
  static Optional<Duration> reset(@Nullable String text, Instant now) {
    OptionalLong number = number(text);
    if (number.isEmpty()) {
      return HttpDates.read(text).map(date -> until(date, now));
    }
    long value = number.getAsLong();
    if (value >= FIRST_MILLIS) {
      return Optional.of(until(Instant.ofEpochMilli(value), now));
    }
    return Optional.of(
        value >= FIRST_SECONDS ? until(Instant.ofEpochSecond(value), now) : capped(value));
  }

  private static Duration until(Instant moment, Instant now) {
    Duration span = Duration.between(now, moment);
    return span.isNegative() ? Duration.ZERO : span.compareTo(LONGEST) > 0 ? LONGEST : span;
  }
}
