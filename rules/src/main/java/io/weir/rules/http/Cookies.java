package io.weir.rules.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code Cookie} headers hold. */
final class Cookies {
  private Cookies() {}

  /** The value of a cookie; null if it was not sent. */
  static @Nullable String value(List<String> headers, String name) {
    Once once = new Once("cookie", name);
    for (String header : headers) {
      for (String pair : header.split(";", -1)) {
        int equals = pair.indexOf('=');
        if (equals >= 0 && pair.substring(0, equals).strip().equals(name)) {
          once.found(unquoted(pair.substring(equals + 1).strip()));
        }
      }
    }
    return once.value();
  }

  /** Many servers leave the quotes out, so that with and without them is the same cookie. */
  private static String unquoted(String value) {
    boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
    return isQuoted ? value.substring(1, value.length() - 1) : value;
  }
}
