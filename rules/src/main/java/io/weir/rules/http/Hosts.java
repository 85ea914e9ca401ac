package io.weir.rules.http;

/**
 * Checks the host of a request: a name or an address, with an optional port. Escapes, commas and
 * other characters that only the URI grammar allows are rejected: no real host has them, and
 * servers read them differently.
 */
public final class Hosts {
  private static final int MAX_LENGTH = 255 + 6;

  private Hosts() {}

  /**
   * Whether {@code text} has the form {@code name}, {@code 192.0.2.1} or {@code [2001:db8::1]},
   * with an optional port.
   */
  public static boolean isHost(String text) {
    int end = text.startsWith("[") ? endOfBrackets(text) : endOfName(text);
    return end > 0 && text.length() <= MAX_LENGTH && isPort(text, end);
  }

  private static int endOfName(String text) {
    int i = 0;
    while (i < text.length() && isOfName(text.charAt(i))) {
      i++;
    }
    return i;
  }

  private static boolean isOfName(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || isDigit(c)
        || c == '-'
        || c == '.'
        || c == '_'
        || c == '~';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** The index after the bracket; 0 if the brackets do not contain an address. */
  private static int endOfBrackets(String text) {
    int colons = 0;
    for (int i = 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ']') {
        return colons < 2 ? 0 : i + 1;
      }
      if (c == ':') {
        colons++;
      } else if (c != '.' && Character.digit(c, 16) < 0 || c > 0x7f) {
        return 0;
      }
    }
    return 0;
  }

  /** Whether the rest is empty or a port. */
  private static boolean isPort(String text, int from) {
    if (from == text.length()) {
      return true;
    }
    if (text.charAt(from) != ':' || text.length() > from + 6) {
      return false;
    }
    int port = 0;
    for (int i = from + 1; i < text.length(); i++) {
      if (!isDigit(text.charAt(i))) {
        return false;
      }
      port = port * 10 + text.charAt(i) - '0';
    }
    return port < 65_536;
  }
}
