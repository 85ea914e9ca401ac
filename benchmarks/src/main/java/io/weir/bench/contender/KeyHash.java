package io.weir.bench.contender;

/** Maps a key to 64 bits. */
@FunctionalInterface
interface KeyHash {
  long of(String key);

  /**
   * A fast mix, not resistant to attacks: four characters at a time, folded by a multiplication to
   * 128 bits, as wyhash does.
   */
  KeyHash FAST = KeyHash::fast;

  private static long fast(String key) {
    int length = key.length();
    long hash = length * 0x9E3779B97F4A7C15L;
    int i = 0;
    for (; i + 4 <= length; i += 4) {
      hash = fold(hash ^ word(key, i), 0xA0761D6478BD642FL);
    }
    long last = 0;
    for (; i < length; i++) {
      last = last << 16 | key.charAt(i);
    }
    return fold(hash ^ last, 0xE7037ED1A0B428DBL);
  }

  private static long word(String key, int i) {
    return key.charAt(i)
        | (long) key.charAt(i + 1) << 16
        | (long) key.charAt(i + 2) << 32
        | (long) key.charAt(i + 3) << 48;
  }

  private static long fold(long a, long b) {
    return a * b ^ Math.multiplyHigh(a, b);
  }
}
