package io.weir.client.quota;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads dates in the HTTP format: {@code Wed, 21 Oct 2015 07:28:00 GMT}. Thread-safe. */
public final class HttpDates {
  private static final int LONGEST = 40;

  private HttpDates() {}

  /** The date; empty if the text is not one. */
  public static Optional<Instant> read(@Nullable String text) {
    if (text == null || text.length() > LONGEST) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          ZonedDateTime.parse(text.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
