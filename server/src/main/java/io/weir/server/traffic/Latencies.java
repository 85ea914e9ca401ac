package io.weir.server.traffic;

import java.util.concurrent.atomic.LongAdder;

/**
 * How long something took, as a histogram: exact in count and sum, and in the bounds that are usual
 * for HTTP. Thread-safe.
 */
public final class Latencies {
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

  /** Nothing has happened yet. */
  public Latencies() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** It took so many nanoseconds. */
  public void add(long nanos) {
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
