package io.weir.server.http;

/** Resolves the escapes of a JSON string. */
final class JsonEscapes {
  private static final int HEX_DIGITS = 4;

  private JsonEscapes() {}

  /**
   * Resolves the escapes of {@code raw}, which must not end with a single backslash.
   *
   * @throws IllegalArgumentException if an escape is invalid
   */
  static String resolved(String raw) {
    StringBuilder out = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      i++;
      switch (raw.charAt(i)) {
        case '"' -> out.append('"');
        case '\\' -> out.append('\\');
        case '/' -> out.append('/');
        case 'b' -> out.append('\b');
        case 'f' -> out.append('\f');
        case 'n' -> out.append('\n');
        case 'r' -> out.append('\r');
        case 't' -> out.append('\t');
        case 'u' -> {
          out.append(character(raw, i + 1));
          i += HEX_DIGITS;
        }
        default -> throw new IllegalArgumentException("there is no escape \\" + raw.charAt(i));
      }
    }
    return out.toString();
  }

  private static char character(String raw, int from) {
    int code = 0;
    for (int i = from; i < from + HEX_DIGITS; i++) {
      int digit = i < raw.length() && raw.charAt(i) < 128 ? Character.digit(raw.charAt(i), 16) : -1;
      if (digit < 0) {
        throw new IllegalArgumentException("\\u must be followed by four hexadecimal digits");
      }
      code = code << 4 | digit;
    }
    return (char) code;
  }
}
