package io.weir.memory;

/**
 * How both kinds of tables use the 64 bits of a key's hash: the first bits for a page, the last for
 * a slot.
 */
final class Hashes {
  /** The tables reserve this hash, and the one before it. */
  private static final long LARGEST_RESERVED = 1;

  private Hashes() {}

  /** The hash, changed if it is one that the tables reserve. */
  static long usable(long hash) {
    return (hash & ~LARGEST_RESERVED) == 0 ? hash + 2 : hash;
  }

  /** The entry of a directory with 2ⁿ entries that the first n bits choose. */
  static int entry(long hash, int entries) {
    return (int) ((hash >>> 33) * entries >>> 31);
  }

  /** The slot of a page in which the search begins. */
  static int slot(long hash, int slots) {
    return (int) ((hash & 0xFFFF_FFFFL) * slots >>> 32);
  }
}
