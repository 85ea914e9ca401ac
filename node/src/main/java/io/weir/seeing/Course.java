package io.weir.seeing;

import org.jspecify.annotations.Nullable;

/**
 * How often each of some things was, over time, in each {@link Range}: outcomes, as a rule. One
 * that never was takes no room; one that was takes 4 KiB.
 */
final class Course {
  private static final Range[] RANGES = Range.values();
  private static final int BYTES = 4 * 1024;

  private final @Nullable Slots[] slots;
  private final long since;

  /**
   * Begins with a second.
   *
   * @param measures how many things are counted side by side
   * @param since from when on it is whole
   */
  Course(int measures, long since) {
    this.slots = new Slots[measures * RANGES.length];
    this.since = since;
  }

  /** What happened between two seconds, both of them included: in equal parts. */
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

  /** The counts of one thing up to now, the oldest first. */
  long[] read(Range range, int measure, long now) {
    Slots one = slots[measure * RANGES.length + range.ordinal()];
    return one == null ? new long[range.slots()] : one.read(now);
  }

  /** How many of the oldest slots are from before this began. */
  int unknown(Range range, long now) {
    long oldest = range.slot(now) - range.slots() + 1;
    return (int) Math.max(0, Math.min(range.slots(), range.slot(since) - oldest));
  }

  /** About what it takes up. */
  long bytes() {
    long used = 0;
    for (int i = 0; i < slots.length; i += RANGES.length) {
      used += slots[i] == null ? 0 : BYTES;
    }
    return used;
  }
}
