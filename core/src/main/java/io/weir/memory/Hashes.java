package io.weir.memory;

/**
 * How both kinds of tables use the 64 bits of a key's hash: the first for a page, the last for a
 * slot.
 */
final class Hashes {
  /** No key's hash: the tables use it, and the one before it, for themselves. */
  private static final long LARGEST_RESERVED = 1;

  private Hashes() {}

  /** A hash that is not one of those that the tables use for themselves. */
  static long usable(long hash) {
    return (hash & ~LARGEST_RESERVED) == 0 ? hash + 2 : hash;
  }

  /** The entry of a directory, which has 2ⁿ of them, that stands for the first n bits. */
  static int entry(long hash, int entries) {
    return (int) ((hash >>> 33) * entries >>> 31);
  }

  /** The slot of a page in which the search begins. */
  static int slot(long hash, int slots) {
    return (int) ((hash & 0xFFFF_FFFFL) * slots >>> 32);
  }
}
