package io.weir.decision;

import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of decision times. Every decision is included, so {@link #counts} and {@link #sum}
 * are exact. Thread-safe.
 */
public final class DecisionTimings {
  private static final long[] BOUNDS = {
    100, // a decision in memory takes a few of these
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
    10_000_000_000L // stores time out long before this
  };

  private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
  private final LongAdder sum = new LongAdder();

  DecisionTimings() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** A clock that is set back gives negative times, which count as zero. */
  void add(long taken) {
    long nanos = Math.max(0, taken);
    int bucket = 0;
    while (bucket < BOUNDS.length && nanos > BOUNDS[bucket]) {
      bucket++;
    }
    counts[bucket].increment();
    sum.add(nanos);
  }

  /** The upper bounds of {@link #counts}, in nanoseconds; the last count has no upper bound. */
  public static long[] bounds() {
    return BOUNDS.clone();
  }

  /** How many decisions were up to each bound and above the one before. */
  public long[] counts() {
    long[] snapshot = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      snapshot[i] = counts[i].sum();
    }
    return snapshot;
  }

  /** The sum of all decision times, in nanoseconds. */
  public long sum() {
    return sum.sum();
  }
}
