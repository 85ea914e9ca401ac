package io.weir.redis;

/** When the permits of one lease were spent, to an eighth of its time. */
final class Uses {
  /*
   * Nobody notes his own use: who is the first to spend in an eighth notes before he does how many
   * were spent until then. Nobody else has spent by a clock of that eighth by then, or he would have
   * noted it. So those were all spent before it began; others of that time, who are only about to
   * spend, count as of later.
   *
   *      spent     5 in the first eighth, none, 2
   *      before    0 5 5 . . . . .
   *
   * Who puts back what he has spent is taken for one of the first: then whoever spends that again
   * counts as of later, or of when he was.
   */

  /** Into how many parts the time of a lease is divided. */
  static final int PARTS = 8;

  private final long[] before = new long[PARTS]; // spent when the part began
  private final long startNanos;
  private final long partNanos;
  private int last; // part that anybody has spent in
  private volatile long nextNanos;

  Uses(long startNanos, long nanos) {
    this.startNanos = startNanos;
    this.partNanos = Math.max(1, nanos / PARTS);
    this.nextNanos = endNanos(0);
  }

  private long endNanos(int part) {
    return startNanos + (part + 1) * partNanos;
  }

  /** The part that {@code nanos} lies in. */
  int part(long nanos) {
    return (int) Math.max(0, Math.min(PARTS - 1, (nanos - startNanos) / partNanos));
  }

  /** Whether nobody has spent in the part of {@code nanos} yet, nor later. */
  boolean isNew(long nanos) {
    return nanos - nextNanos >= 0;
  }

  /** Somebody is about to spend at {@code nanos}; one at a time. */
  void begin(long nanos, long spent) {
    int part = part(nanos);
    while (last < part) {
      before[++last] = spent;
    }
    nextNanos = endNanos(last);
  }

  /** So many of those that were spent are about to be put back; one at a time. */
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

  /** How long ago at {@code nanos} all that was spent in {@code part} had been. */
  long age(int part, long nanos) {
    return Math.max(0, nanos - endNanos(part));
  }
}
