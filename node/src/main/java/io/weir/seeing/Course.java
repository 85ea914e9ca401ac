package io.weir.seeing;

import io.weir.arbiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * How often each outcome was, over time, in each {@link Range}. An outcome that never was takes no
 * room; one that was takes 4 KiB.
 */
final class Course {
  private static final int OUTCOMES = Outcome.values().length;
  private static final Range[] RANGES = Range.values();
  private static final int BYTES = 4 * 1024;

  private final @Nullable Slots[] slots = new Slots[OUTCOMES * RANGES.length];
  private final long since;

  /**
   * Begins with a second.
   *
   * @param since from when on it is whole
   */
  Course(long since) {
    this.since = since;
  }

  /** What happened between two seconds, both of them included: in equal parts. */
  void add(int outcome, long count, long first, long last) {
    long seconds = last - first + 1;
    long part = count / seconds;
    if (part > 0) {
      for (long second = first; second < last; second++) {
        add(outcome, part, second);
      }
    }
    add(outcome, count - part * (seconds - 1), last);
  }

  private void add(int outcome, long count, long second) {
    for (Range range : RANGES) {
      int place = outcome * RANGES.length + range.ordinal();
      Slots one = slots[place];
      if (one == null) {
        one = new Slots(range, second);
        slots[place] = one;
      }
      one.add(second, count);
    }
  }

  /** The counts of one outcome up to now, the oldest first. */
  long[] read(Range range, int outcome, long now) {
    Slots one = slots[outcome * RANGES.length + range.ordinal()];
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
