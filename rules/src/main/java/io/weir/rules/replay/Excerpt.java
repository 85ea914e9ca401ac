package io.weir.rules.replay;

import java.nio.charset.StandardCharsets;

/** A piece of a file, made fit for a message: short, on one line, nothing that moves a cursor. */
final class Excerpt {
  private static final int LONGEST = 60;

  private Excerpt() {}

  static String of(byte[] bytes, int from, int to) {
    int end = Math.min(to, from + 4 * LONGEST);
    return of(new String(bytes, from, Math.max(0, end - from), StandardCharsets.UTF_8));
  }

  static String of(String text) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (shown.length() >= LONGEST) {
        return shown.append('…').toString();
      }
      char c = text.charAt(i);
      if (c < ' ' || (c >= 0x7F && c < 0xA0) || Character.getType(c) == Character.FORMAT) {
        shown.append(String.format("\\x%02x", (int) c));
      } else {
        shown.append(c);
      }
    }
    return shown.toString();
  }
}
