package io.weir.server.traffic;

import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of latencies, with exact count and sum, and the usual bounds for HTTP. Thread-safe.
 */
public final class LatencyHistogram {
  private static final long MICRO = 1_000L;
  private static final long MILLI = 1_000_000L;

  private static final long[] BOUNDS = {
    500 * MICRO,
    MILLI,
    2_500 * MICRO,
    5 * MILLI,
    10 * MILLI,
    25 * MILLI,
    50 * MILLI,
    100 * MILLI,
    250 * MILLI,
    500 * MILLI,
    1_000 * MILLI,
    2_500 * MILLI,
    5_000 * MILLI,
    10_000 * MILLI,
    30_000 * MILLI
  };

  private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
  private final LongAdder sum = new LongAdder();

  /** An empty histogram. */
  public LatencyHistogram() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Adds a latency in nanoseconds. */
  public void add(long nanos) {
    int bucket = 0;
    while (bucket < BOUNDS.length && nanos > BOUNDS[bucket]) {
      bucket++;
    }
    counts[bucket].increment();
    sum.add(nanos);
  }

  /** The upper bounds of the {@link #counts} in nanoseconds; the last count has no upper bound. */
  public static long[] bounds() {
    return BOUNDS.clone();
  }

  /** The number of latencies up to each bound and above the previous one. */
  public long[] counts() {
    long[] snapshot = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      snapshot[i] = counts[i].sum();
    }
    return snapshot;
  }

  /** The sum of all latencies in nanoseconds. */
  public long sum() {
    return sum.sum();
  }
}
