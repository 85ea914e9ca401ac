package io.weir.rules.text;

import java.nio.charset.StandardCharsets;

/** Formats a part of a file for a message of one line. */
public final class Excerpt {
  private static final int MAX_LENGTH = 60;

  private Excerpt() {}

  /** The text in quotes, shortened, with invisible characters as escapes. */
  public static String quoted(String text) {
    return "'" + of(text) + "'";
  }

  /** The text, shortened, with invisible characters as escapes. */
  public static String of(String text) {
    return of(text, MAX_LENGTH);
  }

  /** The text of UTF-8 bytes, shortened, with invisible characters as escapes. */
  public static String of(byte[] bytes, int from, int to) {
    int end = Math.min(to, from + 4 * MAX_LENGTH); // a character has at most four bytes
    return of(new String(bytes, from, Math.max(0, end - from), StandardCharsets.UTF_8));
  }

  /** The text, shortened to about {@code maxLength} characters. */
  public static String of(String text, int maxLength) {
    StringBuilder shown = new StringBuilder();
    int at = 0;
    while (at < text.length() && shown.length() < maxLength) {
      int point = text.codePointAt(at);
      at += Character.charCount(point);
      switch (point) {
        case '\n' -> shown.append("\\n");
        case '\r' -> shown.append("\\r");
        case '\t' -> shown.append("\\t");
        default -> {
          if (isVisible(point)) {
            shown.appendCodePoint(point);
          } else {
            shown.append(String.format("\\u%04X", point));
          }
        }
      }
    }
    return at < text.length() ? shown.append('…').toString() : shown.toString();
  }

  private static boolean isVisible(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
