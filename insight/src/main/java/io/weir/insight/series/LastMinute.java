package io.weir.insight.series;

import java.util.Arrays;

/**
 * Sums over the last minute in steps of five seconds: over 55 to 60 seconds, never longer. A number
 * for each second would take too much memory with ten thousand rules.
 */
final class LastMinute {
  static final int STEP = 5;
  static final int SLOTS = 12;

  private final int measures;
  private final int[] counts;
  private long newest;

  /**
   * Starts at zero.
   *
   * @param measures how many sums are kept side by side
   * @param second now
   */
  LastMinute(int measures, long second) {
    this.measures = measures;
    this.counts = new int[measures * SLOTS];
    this.newest = slot(second);
  }

  private static long slot(long second) {
    return Math.floorDiv(second, STEP);
  }

  /** How many seconds the sums cover at the end of {@code now}. */
  static long seconds(long now) {
    return (SLOTS - 1) * STEP + Math.floorMod(now, (long) STEP) + 1;
  }

  void add(int measure, long count, long now) {
    advance(now);
    int place = place(newest) + measure;
    counts[place] = (int) Math.min(Integer.MAX_VALUE, counts[place] + count);
  }

  long sum(int measure, long now) {
    advance(now);
    long sum = 0;
    for (int i = measure; i < counts.length; i += measures) {
      sum += counts[i];
    }
    return sum;
  }

  /** Whether nothing was counted in the time that the sums cover. */
  boolean isEmpty(long now) {
    return slot(now) - newest >= SLOTS;
  }

  private void advance(long now) {
    long slot = slot(now);
    if (slot - newest >= SLOTS) {
      Arrays.fill(counts, 0);
      newest = slot;
    }
    while (newest < slot) {
      newest++;
      Arrays.fill(counts, place(newest), place(newest) + measures, 0);
    }
  }

  private int place(long slot) {
    return (int) Math.floorMod(slot, (long) SLOTS) * measures;
  }
}
