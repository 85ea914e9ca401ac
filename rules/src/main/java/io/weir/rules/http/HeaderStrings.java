package io.weir.rules.http;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Escapes strings so that they cannot break out of a header. */
final class HeaderStrings {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private HeaderStrings() {}

  /**
   * Appends the content of a structured field's string. Such a string contains only printable
   * ASCII. Bytes of other characters are percent-encoded, {@code %0A}, so that they cannot start
   * another header.
   */
  static void appendField(StringBuilder to, String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        to.append('\\').append(c);
      } else if (c >= ' ' && c <= '~') {
        to.append(c);
      } else {
        int end = Character.isSurrogate(c) ? Math.min(i + 2, text.length()) : i + 1;
        for (byte b : text.substring(i, end).getBytes(UTF_8)) {
          to.append('%').append(HEX[(b >> 4) & 15]).append(HEX[b & 15]);
        }
        i = end - 1;
      }
    }
  }
}
