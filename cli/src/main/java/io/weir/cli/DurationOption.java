package io.weir.cli;

import io.weir.text.DurationParser;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses durations such as {@code 250ms 30s 15m 2h 7d}. */
final class DurationOption implements ITypeConverter<Duration> {
  private static final DurationParser FORM = DurationParser.of(12, "ms", "s", "m", "h", "d");

  @Override
  public Duration convert(String text) {
    return FORM.parse(text)
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'" + text + "' is no length of time; write 250ms, 30s, 15m, 2h or 7d"));
  }
}
