package io.weir.redis;

/** When the permits of one lease were spent, to an eighth of its time. */
final class LeaseUsage {
  /*
   * Usage is tracked per eighth of the lease. The first spender in an eighth records the running
   * total before spending. No other thread has spent by a clock of that eighth before, or it would
   * have recorded the total. So everything in the total was spent before the eighth began. Other
   * threads of an earlier eighth that are only about to spend count as later.
   *
   *      spent     5 in the first eighth, none, 2
   *      before    0 5 5 . . . . .
   *
   * Permits that are put back are subtracted from the earliest ones. If they are spent again, they
   * count as later, or at the time of their first use.
   */

  /** The number of parts of a lease's time. */
  static final int PARTS = 8;

  private final long[] before = new long[PARTS]; // spent when the part began
  private final long startNanos;
  private final long partNanos;
  private int last; // the last part with a use
  private volatile long nextNanos;

  LeaseUsage(long startNanos, long nanos) {
    this.startNanos = startNanos;
    this.partNanos = Math.max(1, nanos / PARTS);
    this.nextNanos = endNanos(0);
  }

  private long endNanos(int part) {
    return startNanos + (part + 1) * partNanos;
  }

  /** The part that contains {@code nanos}. */
  int part(long nanos) {
    return (int) Math.max(0, Math.min(PARTS - 1, (nanos - startNanos) / partNanos));
  }

  /** Whether this is the first use in the part of {@code nanos} or later. */
  boolean isNew(long nanos) {
    return nanos - nextNanos >= 0;
  }

  /** Permits are about to be spent at {@code nanos}; must be called by one thread at a time. */
  void begin(long nanos, long spent) {
    int part = part(nanos);
    while (last < part) {
      before[++last] = spent;
    }
    nextNanos = endNanos(last);
  }

  /** Spent permits are about to be put back; must be called by one thread at a time. */
  void putBack(long unused) {
    for (int part = 1; part <= last; part++) {
      before[part] = Math.max(0, before[part] - unused);
    }
  }

  /** How many of {@code spent} were spent in each part. */
  long[] counts(long spent) {
    long[] counts = new long[PARTS];
    long until = spent;
    for (int part = PARTS - 1; part >= 0; part--) {
      long first = part > last ? until : Math.min(until, before[part]);
      counts[part] = until - first;
      until = first;
    }
    return counts;
  }

  /** The age at {@code nanos} that all permits spent in {@code part} have at least. */
  long age(int part, long nanos) {
    return Math.max(0, nanos - endNanos(part));
  }
}
