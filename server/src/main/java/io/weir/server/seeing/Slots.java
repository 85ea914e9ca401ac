package io.weir.server.seeing;

/**
 * One number for each of the last slots of time. What is older than all of them is forgotten when
 * time goes on, and time only goes on when something is added or read.
 */
final class Slots {
  private final Range range;
  private final long[] counts;
  private long newest;

  /**
   * Nothing so far.
   *
   * @param second now
   */
  Slots(Range range, long second) {
    this.range = range;
    this.counts = new long[range.slots()];
    this.newest = range.slot(second);
  }

  /** What happened in a second, which is not before the last one that was spoken of. */
  void add(long second, long count) {
    advance(second);
    counts[index(newest)] += count;
  }

  /** The numbers up to the slot of {@code second}, the oldest first. */
  long[] read(long second) {
    advance(second);
    long[] copy = new long[counts.length];
    int oldest = index(newest + 1);
    System.arraycopy(counts, oldest, copy, 0, counts.length - oldest);
    System.arraycopy(counts, 0, copy, counts.length - oldest, oldest);
    return copy;
  }

  private void advance(long second) {
    long slot = range.slot(second);
    if (slot - newest >= counts.length) {
      java.util.Arrays.fill(counts, 0);
      newest = slot;
    }
    while (newest < slot) {
      newest++;
      counts[index(newest)] = 0;
    }
  }

  private int index(long slot) {
    return (int) Math.floorMod(slot, (long) counts.length);
  }
}
