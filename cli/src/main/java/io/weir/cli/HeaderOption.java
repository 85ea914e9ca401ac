package io.weir.cli;

import io.weir.rules.http.Header;
import io.weir.rules.http.HttpRequest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a header in its HTTP form: {@code X-API-Key: abc}. */
final class HeaderOption implements ITypeConverter<Header> {
  @Override
  public Header convert(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new TypeConversionException(
          "'" + text + "' is no header; write 'Name: value' in quotes");
    }
    String name = text.substring(0, colon);
    if (!HttpRequest.isToken(name)) {
      throw new TypeConversionException("'" + name + "' is no name of a header");
    }
    String value = text.substring(colon + 1).strip();
    if (value.chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 127)) {
      throw new TypeConversionException("the value of header " + name + " has control characters");
    }
    return new Header(name, value);
  }
}
