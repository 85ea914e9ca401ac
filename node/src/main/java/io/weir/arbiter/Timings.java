package io.weir.arbiter;

import java.util.concurrent.atomic.LongAdder;

/** How long decisions took: each of them, so that {@link #counts} and {@link #sum} are exact. */
public final class Timings {
  private static final long[] BOUNDS = {
    100, // a decision in memory takes some of these
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000L,
    5_000_000_000L,
    10_000_000_000L // a store has given up long before
  };

  private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
  private final LongAdder sum = new LongAdder();

  Timings() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** A clock that is moved by hand may go back: that is no time. */
  void add(long taken) {
    long nanos = Math.max(0, taken);
    int bucket = 0;
    while (bucket < BOUNDS.length && nanos > BOUNDS[bucket]) {
      bucket++;
    }
    counts[bucket].increment();
    sum.add(nanos);
  }

  /** Between these, in nanoseconds, are the {@link #counts}; the last has no upper bound. */
  public static long[] bounds() {
    return BOUNDS.clone();
  }

  /** How many there are up to each bound and above the one before. */
  public long[] counts() {
    long[] snapshot = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      snapshot[i] = counts[i].sum();
    }
    return snapshot;
  }

  /** All of them together, in nanoseconds. */
  public long sum() {
    return sum.sum();
  }
}
