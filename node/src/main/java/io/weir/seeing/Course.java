package io.weir.seeing;

import org.jspecify.annotations.Nullable;

/**
 * Several counts over time, in each {@link Range}; usually one count per outcome. A count that is
 * always zero takes no memory; any other takes 4 KiB.
 */
final class Course {
  private static final Range[] RANGES = Range.values();
  private static final int BYTES = 4 * 1024;

  private final @Nullable Slots[] slots;
  private final long since;

  /**
   * Starts at a second.
   *
   * @param measures how many counts are kept side by side
   * @param since from when on the counts are complete
   */
  Course(int measures, long since) {
    this.slots = new Slots[measures * RANGES.length];
    this.since = since;
  }

  /** Spreads a count evenly over the seconds from {@code first} to {@code last}, both included. */
  void add(int measure, long count, long first, long last) {
    long seconds = last - first + 1;
    long part = count / seconds;
    if (part > 0) {
      for (long second = first; second < last; second++) {
        add(measure, part, second);
      }
    }
    add(measure, count - part * (seconds - 1), last);
  }

  private void add(int measure, long count, long second) {
    for (Range range : RANGES) {
      int place = measure * RANGES.length + range.ordinal();
      Slots one = slots[place];
      if (one == null) {
        one = new Slots(range, second);
        slots[place] = one;
      }
      one.add(second, count);
    }
  }

  /** One of the counts up to now, the oldest slot first. */
  long[] read(Range range, int measure, long now) {
    Slots one = slots[measure * RANGES.length + range.ordinal()];
    return one == null ? new long[range.slots()] : one.read(now);
  }

  /** How many of the oldest slots are from before the start. */
  int unknown(Range range, long now) {
    long oldest = range.slot(now) - range.slots() + 1;
    return (int) Math.max(0, Math.min(range.slots(), range.slot(since) - oldest));
  }

  /** The approximate memory use. */
  long bytes() {
    long used = 0;
    for (int i = 0; i < slots.length; i += RANGES.length) {
      used += slots[i] == null ? 0 : BYTES;
    }
    return used;
  }
}
