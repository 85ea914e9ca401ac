package io.weir.rules.http;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Bytes written as {@code %41}. */
final class PercentEncoding {
  private static final String DIGITS = "0123456789ABCDEF";

  private PercentEncoding() {}

  /** The byte of the escape at {@code at}, which has a {@code %}; -1 if it has no two digits. */
  static int at(String text, int at) {
    int high = at + 2 < text.length() ? digit(text.charAt(at + 1)) : -1;
    int low = at + 2 < text.length() ? digit(text.charAt(at + 2)) : -1;
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }

  private static int digit(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1; // excludes digits of other scripts
  }

  /** The text in UTF-8. Invalid bytes and control characters become escapes in one spelling. */
  static String shown(byte[] bytes, int length) {
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
    CharBuffer out = CharBuffer.allocate(length);
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder(); // reports invalid bytes
    StringBuilder text = new StringBuilder(length);
    while (in.hasRemaining()) {
      CoderResult result = decoder.decode(in, out, true);
      out.flip();
      for (int i = 0; i < out.length(); i++) {
        append(text, out.charAt(i));
      }
      out.clear();
      for (int i = 0; result.isError() && i < result.length(); i++) {
        escape(text, in.get());
      }
      decoder.reset();
    }
    return text.toString();
  }

  private static void append(StringBuilder text, char c) {
    if (c < ' ' || c == 0x7f) {
      escape(text, c);
    } else {
      text.append(c);
    }
  }

  private static void escape(StringBuilder text, int b) {
    text.append('%').append(DIGITS.charAt(b >> 4 & 15)).append(DIGITS.charAt(b & 15));
  }
}
