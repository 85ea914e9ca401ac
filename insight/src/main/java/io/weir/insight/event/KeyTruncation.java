package io.weir.insight.event;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Shortens keys that are too long to keep: the beginning stays, plus a hash of the complete key, so
 * that different keys stay different.
 */
public final class KeyTruncation {
  /** The longest key that is kept complete. */
  static final int LONGEST = 128;

  private static final char CUT = '~'; // one byte in a Latin-1 string, as are most keys
  private static final int HASH = 16;
  private static final int BEGINNING = LONGEST - HASH;
  private static final long SECRET = ThreadLocalRandom.current().nextLong();

  private KeyTruncation() {}

  /**
   * The key, or its shortened form if it is too long. A shortened form is longer than any complete
   * key.
   */
  public static String cut(String key) {
    return key.length() <= LONGEST
        ? key
        : key.substring(0, BEGINNING) + CUT + HexFormat.of().toHexDigits(hash(SECRET, key));
  }

  public static boolean isCut(String kept) {
    return kept.length() > LONGEST;
  }

  /** The known part of the key. */
  public static String known(String kept) {
    return isCut(kept) ? beginning(kept) + "…" : kept;
  }

  /** The known part of a shortened key, without half of a surrogate pair at its end. */
  public static String beginning(String kept) {
    boolean isHalf = Character.isHighSurrogate(kept.charAt(BEGINNING - 1));
    return kept.substring(0, isHalf ? BEGINNING - 1 : BEGINNING);
  }

  /** A well-distributed 64-bit hash. Without {@code secret}, its values cannot be predicted. */
  public static long hash(long secret, String text) {
    long hash = secret;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    hash = (hash ^ text.length()) * 0xD6E8FEB86659FD93L;
    return hash ^ hash >>> 32;
  }
}
