package io.weir.memory;

import java.security.SecureRandom;

/**
 * A keyed 64-bit hash of strings: SipHash-1-3 with a secret of this process, so that attackers
 * cannot make keys collide on purpose. Thread-safe.
 */
public final class KeyHash {
  /*
   * Keys are distinguished by their hash alone; the strings are not kept. The chance that two of
   * ten million keys share a hash, and so a bucket, is three in a million. The cost is a wrong
   * refusal at worst.
   *
   * The bytes that are hashed are the characters: one byte each where all are below 256, which
   * almost all keys are, and two otherwise. The two forms start from different states, so that they
   * are different functions.
   *
   * The last bits choose the overflow bucket that keys share while a table is full. For keys that
   * begin with an address, these bits come from its network: a flood out of one network fills one
   * such bucket.
   *
   * The round of SipHash is written out three times, because it changes four variables and a method
   * returns only one.
   */

  private static final KeyHash SHARED = new KeyHash(new SecureRandom());

  private final long k0;
  private final long k1;

  private KeyHash(SecureRandom random) {
    this(random.nextLong(), random.nextLong());
  }

  KeyHash(long k0, long k1) {
    this.k0 = k0;
    this.k1 = k1;
  }

  /** A hash with a secret of its own, so that it is independent of every other. */
  public static KeyHash random() {
    return new KeyHash(new SecureRandom());
  }

  /** The hash with this process's secret. */
  static KeyHash shared() {
    return SHARED;
  }

  /** The hash of {@code key}. */
  public long of(String key) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int length = key.length();
    int wide = 0;
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      long c0 = key.charAt(i);
      long c1 = key.charAt(i + 1);
      long c2 = key.charAt(i + 2);
      long c3 = key.charAt(i + 3);
      long c4 = key.charAt(i + 4);
      long c5 = key.charAt(i + 5);
      long c6 = key.charAt(i + 6);
      long c7 = key.charAt(i + 7);
      wide |= (int) (c0 | c1 | c2 | c3 | c4 | c5 | c6 | c7);
      long m = c0 | c1 << 8 | c2 << 16 | c3 << 24 | c4 << 32 | c5 << 40 | c6 << 48 | c7 << 56;
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
    }
    long last = (long) length << 56;
    for (int shift = 0; i < length; i++, shift += 8) {
      long c = key.charAt(i);
      wide |= (int) c;
      last |= c << shift;
    }
    long hash = wide > 0xFF ? ofWide(key) : finish(v0, v1, v2, v3, last);
    long network = AddressGroup.of(key);
    return Hashes.usable(network == AddressGroup.NONE ? hash : inGroup(hash, network));
  }

  /** The hash, with the bits that choose an overflow bucket replaced by those of a network. */
  private long inGroup(long hash, long network) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    long ofNetwork = finish(v0, v1, v2, v3, network);
    return hash ^ ((hash ^ ofNetwork) & (OverflowBuckets.GROUPS - 1));
  }

  private long ofWide(String key) {
    long v0 = k0 ^ 0x736f6d6570736575L;
    long v1 = k1 ^ 0x646f72616e646f6dL ^ 0xee;
    long v2 = k0 ^ 0x6c7967656e657261L;
    long v3 = k1 ^ 0x7465646279746573L;
    int length = key.length();
    int i = 0;
    for (; i + 4 <= length; i += 4) {
      long m = four(key, i, i + 4);
      v3 ^= m;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= m;
    }
    return finish(v0, v1, v2, v3, four(key, i, length) | (long) length << 56);
  }

  private static long four(String key, int from, int to) {
    long m = 0;
    for (int i = to - 1; i >= from; i--) {
      m = m << 16 | key.charAt(i);
    }
    return m;
  }

  private static long finish(long s0, long s1, long s2, long s3, long last) {
    long v0 = s0;
    long v1 = s1;
    long v2 = s2;
    long v3 = s3 ^ last;
    for (int round = 0; round < 4; round++) {
      if (round == 1) {
        v0 ^= last;
        v2 ^= 0xff;
      }
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}
