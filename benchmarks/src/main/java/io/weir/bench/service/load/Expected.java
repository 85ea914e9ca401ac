package io.weir.bench.service.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * How a good answer begins: bytes, some of which may be anything. In {@code text} a character of
 * Latin-1 stands for each, and {@code ?} for any.
 */
public record Expected(String text) {
  private static final char ANY = '?';

  static Expected of(String text) {
    return new Expected(text);
  }

  /** An answer with these bytes, -1 for any. */
  public static Expected bytes(int... values) {
    StringBuilder text = new StringBuilder();
    for (int value : values) {
      text.append(value < 0 ? ANY : (char) value);
    }
    return new Expected(text.toString());
  }

  int length() {
    return text.length();
  }

  /** Whether {@code buffer} has it at {@code offset}, which has so many bytes from there on. */
  boolean isAt(ByteBuffer buffer, int offset, int available) {
    if (available < text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char due = text.charAt(i);
      if (due != ANY && (buffer.get(offset + i) & 0xff) != due) {
        return false;
      }
    }
    return true;
  }

  /** How that looked, for a message. */
  static String shown(ByteBuffer buffer, int offset, int available) {
    byte[] bytes = new byte[Math.min(available, 200)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = buffer.get(offset + i);
    }
    return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".");
  }
}
