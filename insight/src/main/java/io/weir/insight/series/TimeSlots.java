package io.weir.insight.series;

import org.jspecify.annotations.Nullable;

/**
 * One number for each of the latest slots of time. Older slots are dropped when time advances, and
 * time advances only on add or read. Numbers take four bytes each until one is too large.
 */
final class TimeSlots {
  private final SeriesRange seriesRange;
  private final int size;
  private int @Nullable [] counts;
  private long @Nullable [] large; // replaces the ints once a number is too large
  private long newest;

  /**
   * Starts at zero.
   *
   * @param second now
   */
  TimeSlots(SeriesRange seriesRange, long second) {
    this.seriesRange = seriesRange;
    this.size = seriesRange.slots();
    this.counts = new int[size];
    this.newest = seriesRange.slot(second);
  }

  /** Adds a count at a second that is not before the latest one. */
  void add(long second, long count) {
    advance(second);
    int at = index(newest);
    set(at, get(at) + count);
  }

  private long get(int at) {
    return counts != null ? counts[at] : large != null ? large[at] : 0;
  }

  private void set(int at, long count) {
    if (counts != null && count == (int) count) {
      counts[at] = (int) count;
      return;
    }
    long[] all = large;
    if (all == null) {
      all = new long[size];
      for (int i = 0; i < size; i++) {
        all[i] = get(i);
      }
      large = all;
      counts = null;
    }
    all[at] = count;
  }

  /** The numbers up to the slot of {@code second}, the oldest first. */
  long[] read(long second) {
    advance(second);
    long[] copy = new long[size];
    int oldest = index(newest + 1);
    for (int i = 0; i < size; i++) {
      copy[i] = get((oldest + i) % size);
    }
    return copy;
  }

  private void advance(long second) {
    long slot = seriesRange.slot(second);
    for (long each = Math.max(newest + 1, slot - size + 1); each <= slot; each++) {
      set(index(each), 0);
    }
    newest = Math.max(newest, slot);
  }

  private int index(long slot) {
    return (int) Math.floorMod(slot, (long) size);
  }
}
