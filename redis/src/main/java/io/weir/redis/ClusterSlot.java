package io.weir.redis;

import java.nio.charset.StandardCharsets;

/**
 * The slots of a Redis Cluster: 16384, each on one shard. The slot of a key is the CRC-16 (XMODEM)
 * of the text in its first braces, or of the whole key.
 */
final class ClusterSlot {
  static final int COUNT = 16_384;

  private static final char[] CRC = table();

  private ClusterSlot() {}

  private static char[] table() {
    char[] table = new char[256];
    for (int high = 0; high < 256; high++) {
      int crc = high << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
      }
      table[high] = (char) crc;
    }
    return table;
  }

  static int of(byte[] key) {
    int from = 0;
    int end = key.length;
    int open = indexOf(key, '{', 0);
    if (open >= 0) {
      int close = indexOf(key, '}', open + 1);
      if (close > open + 1) {
        from = open + 1;
        end = close;
      }
    }
    int crc = 0;
    for (int i = from; i < end; i++) {
      crc = (crc << 8 ^ CRC[(crc >> 8 ^ key[i]) & 0xff]) & 0xffff;
    }
    return crc & COUNT - 1;
  }

  /** A text for the braces of a key in {@code slot}; takes some thousands of attempts. */
  static String tag(int slot) {
    for (int i = 0; ; i++) {
      String tag = Integer.toString(i);
      if (of(tag.getBytes(StandardCharsets.US_ASCII)) == slot) {
        return tag;
      }
    }
  }

  private static int indexOf(byte[] bytes, char wanted, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
