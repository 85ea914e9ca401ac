package io.weir.cli;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a time: {@code 2026-03-29T10:00:00Z}, or with a zone offset. */
final class InstantOption implements ITypeConverter<Instant> {
  /** The range of the library's clock. */
  private static final int FIRST_YEAR = 1700;

  private static final int LAST_YEAR = 2200;

  @Override
  public Instant convert(String text) {
    OffsetDateTime moment;
    try {
      moment = OffsetDateTime.parse(text);
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "'" + text + "' is no moment; write 2026-03-29T10:00:00Z or 2026-03-29T12:00:00+02:00");
    }
    if (moment.getYear() < FIRST_YEAR || moment.getYear() > LAST_YEAR) {
      throw new TypeConversionException(
          "'" + text + "' is too far away; the years are " + FIRST_YEAR + " to " + LAST_YEAR);
    }
    return moment.toInstant();
  }
}
