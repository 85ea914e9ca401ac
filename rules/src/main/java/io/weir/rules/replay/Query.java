package io.weir.rules.replay;

import io.weir.rules.match.MalformedRequestException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The query of a request's target. */
final class Query {
  private Query() {}

  /**
   * The value of a parameter; null if it is not there.
   *
   * @throws MalformedRequestException if it is there twice
   */
  static @Nullable String parameter(@Nullable String query, String name) {
    String found = null;
    int from = 0;
    while (query != null && from <= query.length()) {
      int end = query.indexOf('&', from);
      end = end < 0 ? query.length() : end;
      int equals = query.indexOf('=', from);
      boolean hasValue = equals >= 0 && equals < end;
      if (decode(query.substring(from, hasValue ? equals : end)).equals(name)) {
        if (found != null) {
          throw new MalformedRequestException(
              "query parameter '" + name + "' is there more than once");
        }
        found = hasValue ? decode(query.substring(equals + 1, end)) : "";
      }
      from = end + 1;
    }
    return found;
  }

  /** What cannot be decoded stays as it is. */
  private static String decode(String text) {
    if (text.indexOf('%') < 0 && text.indexOf('+') < 0) {
      return text;
    }
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
