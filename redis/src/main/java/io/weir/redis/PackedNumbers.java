package io.weir.redis;

import java.util.Arrays;

/** Packs numbers in few bytes, little endian, as the scripts unpack them. */
final class PackedNumbers {
  private byte[] bytes = new byte[96];
  private int length;

  PackedNumbers letter(char letter) {
    return number(letter, 1);
  }

  /** Appends the low {@code size} bytes of {@code number}. */
  PackedNumbers number(long number, int size) {
    if (length + size > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }
    for (int i = 0; i < size; i++) {
      bytes[length++] = (byte) (number >>> 8 * i);
    }
    return this;
  }

  /** Appends an ASCII text. */
  PackedNumbers text(String text) {
    for (int i = 0; i < text.length(); i++) {
      number(text.charAt(i), 1);
    }
    return this;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }
}
