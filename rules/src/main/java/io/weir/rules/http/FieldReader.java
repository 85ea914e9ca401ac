package io.weir.rules.http;

import io.weir.rules.match.MalformedRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Collects the value of one header, cookie or query parameter that rules use, and refuses a request
 * in which servers may find another value, or none.
 *
 * <p>Servers agree neither on names nor on repetitions. Where CGI variables are made of headers, as
 * in WSGI, Rack and PHP, {@code X_API_Key} is {@code X-API-Key}; PHP reads the parameter {@code
 * api.key} as {@code api_key}, ASP.NET reads {@code API_KEY} so. A client that could choose the
 * spelling could choose whether a rule sees what the server sees.
 */
final class FieldReader {
  private final String kind;
  private final String name;
  private @Nullable String value;

  /**
   * A reader of the field {@code name}.
   *
   * @param kind what a message calls it, such as {@code cookie}
   */
  FieldReader(String kind, String name) {
    this.kind = kind;
    this.name = name;
  }

  /** Takes the value under the name itself. */
  void found(String another) {
    if (value != null) {
      throw refusal("is sent twice; rules use it, so it must be sent once");
    }
    value = another;
  }

  /** Refuses a field whose name, which is not the one wanted, some server may take for it. */
  void requireOther(CharSequence sent) {
    if (isLookalike(sent, name)) {
      throw refusal("is sent in another spelling; rules use it, so it must be sent by this name");
    }
  }

  /** The refusal of a request, because of this field. */
  MalformedRequestException refusal(String why) {
    return new MalformedRequestException(kind + " '" + name + "' " + why);
  }

  /** The value; null if it was not found. */
  @Nullable String value() {
    return value;
  }

  /** Whether two names differ at most in the case of letters and in punctuation. */
  static boolean isLookalike(CharSequence one, String other) {
    if (one.length() != other.length()) {
      return false;
    }
    for (int i = 0; i < other.length(); i++) {
      int mine = folded(one.charAt(i));
      if (mine != folded(other.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static int folded(char c) {
    if (c >= 'A' && c <= 'Z') {
      return c | 0x20;
    }
    boolean isName = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
    return isName ? c : '_';
  }
}
