package io.weir.client.quota;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Dates as HTTP has them: {@code Wed, 21 Oct 2015 07:28:00 GMT}. */
public final class HttpDates {
  private static final int LONGEST = 40;

  private HttpDates() {}

  /** The moment; none if the text is no such date. */
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
