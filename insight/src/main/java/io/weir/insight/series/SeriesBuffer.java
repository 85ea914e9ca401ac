package io.weir.insight.series;

import org.jspecify.annotations.Nullable;

/**
 * Several counts over time, in each {@link SeriesRange}; usually one count per outcome. A count
 * that is always zero takes no memory; any other takes 4 KiB.
 */
final class SeriesBuffer {
  private static final SeriesRange[] RANGES = SeriesRange.values();
  private static final int BYTES = 4 * 1024;

  private final @Nullable TimeSlots[] slots;
  private final long since;

  /**
   * Starts at a second.
   *
   * @param measures how many counts are kept side by side
   * @param since from when on the counts are complete
   */
  SeriesBuffer(int measures, long since) {
    this.slots = new TimeSlots[measures * RANGES.length];
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
    for (SeriesRange seriesRange : RANGES) {
      int place = measure * RANGES.length + seriesRange.ordinal();
      TimeSlots one = slots[place];
      if (one == null) {
        one = new TimeSlots(seriesRange, second);
        slots[place] = one;
      }
      one.add(second, count);
    }
  }

  /** One of the counts up to now, the oldest slot first. */
  long[] read(SeriesRange seriesRange, int measure, long now) {
    TimeSlots one = slots[measure * RANGES.length + seriesRange.ordinal()];
    return one == null ? new long[seriesRange.slots()] : one.read(now);
  }

  /** How many of the oldest slots are from before the start. */
  int unknown(SeriesRange seriesRange, long now) {
    long oldest = seriesRange.slot(now) - seriesRange.slots() + 1;
    return (int) Math.max(0, Math.min(seriesRange.slots(), seriesRange.slot(since) - oldest));
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
