package io.weir.rules.http;

import io.weir.rules.match.MalformedRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Collects the value of one header, cookie or query parameter that rules use. Refuses a request in
 * which servers may find another value, or none.
 *
 * <p>Servers treat names and repetitions differently. CGI variables, as in WSGI, Rack and PHP, turn
 * {@code X_API_Key} into {@code X-API-Key}. PHP reads the parameter {@code api.key} as {@code
 * api_key}, and ASP.NET reads {@code API_KEY} so. A client that can choose the spelling could hide
 * from a rule the value that the server sees.
 */
final class FieldReader {
  private final String kind;
  private final String name;
  private @Nullable String value;

  /**
   * A reader of the field {@code name}.
   *
   * @param kind its kind in messages, such as {@code cookie}
   */
  FieldReader(String kind, String name) {
    this.kind = kind;
    this.name = name;
  }

  /** Takes a value with the exact name. */
  void found(String another) {
    if (value != null) {
      throw refusal("is sent twice; rules use it, so it must be sent once");
    }
    value = another;
  }

  /** Refuses a field with another name that some server may read as this one. */
  void requireOther(CharSequence sent) {
    if (isLookalike(sent, name)) {
      throw refusal("is sent in another spelling; rules use it, so it must be sent by this name");
    }
  }

  /** The exception for a request with this faulty field. */
  MalformedRequestException refusal(String why) {
    return new MalformedRequestException(kind + " '" + name + "' " + why);
  }

  /** The value; null if it was not found. */
  @Nullable String value() {
    return value;
  }

  /** Whether two names differ at most in case and punctuation. */
  static boolean isLookalike(CharSequence one, String other) {
    if (one.length() != other.length()) {
      return false;
    }
    for (int i = 0; i < other.length(); i++) {
      int character = folded(one.charAt(i));
      if (character != folded(other.charAt(i))) {
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
