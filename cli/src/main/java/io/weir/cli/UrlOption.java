package io.weir.cli;

import io.weir.rules.http.Url;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a URL, or only its path. */
final class UrlOption implements ITypeConverter<Url> {
  @Override
  public Url convert(String text) {
    try {
      return Url.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
