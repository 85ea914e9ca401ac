package io.weir.seeing;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Cuts keys that are too long to be kept: the beginning stays, and a hash of the whole, so that two
 * of them are still told apart.
 */
final class LongKeys {
  /** The longest key that is kept as it is. */
  static final int LONGEST = 128;

  private static final char CUT = '~'; // of one byte, as most keys are
  private static final int HASH = 16;
  private static final int BEGINNING = LONGEST - HASH;
  private static final long SECRET = ThreadLocalRandom.current().nextLong();

  private LongKeys() {}

  /** The key; if it is too long, what is kept of it, which is longer than any that is not. */
  static String cut(String key) {
    return key.length() <= LONGEST
        ? key
        : key.substring(0, BEGINNING) + CUT + HexFormat.of().toHexDigits(hash(SECRET, key));
  }

  static boolean isCut(String kept) {
    return kept.length() > LONGEST;
  }

  /** The key as far as it is known. */
  static String known(String kept) {
    return isCut(kept) ? beginning(kept) + "…" : kept;
  }

  /** What is known of a key that was cut; half of a pair of surrogates is no letter. */
  static String beginning(String kept) {
    boolean isHalf = Character.isHighSurrogate(kept.charAt(BEGINNING - 1));
    return kept.substring(0, isHalf ? BEGINNING - 1 : BEGINNING);
  }

  /** Spreads well over 64 bits; by {@code secret} nobody outside can tell how. */
  static long hash(long secret, String text) {
    long hash = secret;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    hash = (hash ^ text.length()) * 0xD6E8FEB86659FD93L;
    return hash ^ hash >>> 32;
  }
}
