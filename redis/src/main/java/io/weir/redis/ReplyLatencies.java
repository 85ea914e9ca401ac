package io.weir.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of response times over the last half to full minute. Thread-safe.
 *
 * <p>A percentile is rounded up, by at most an eighth. Takes about 2 KB; adding a sample allocates
 * nothing.
 */
final class ReplyLatencies {
  /*
   * A bucket per eighth of a power of two, in microseconds: 0, 1, ... 15 in steps of one, 16 to 30
   * in steps of two, 32 to 60 in steps of four, up to a minute. There are two histograms: one is
   * being filled, the other covers the half minute before, and both are read. They swap every half
   * minute.
   */
  private static final long HALF_MINUTE = Duration.ofSeconds(30).toNanos();
  private static final int STEPS = 8; // per power of two
  private static final long MAX_MICROS = Duration.ofMinutes(1).toNanos() / 1000;
  private static final int BUCKETS = bucket(MAX_MICROS) + 1;

  private final long startNanos = System.nanoTime();
  private final AtomicLongArray[] halves = {
    new AtomicLongArray(BUCKETS), new AtomicLongArray(BUCKETS)
  };
  private volatile long half; // the number of half minutes so far

  /** Adds a sample of {@code nanos} at {@code now}. */
  void add(long nanos, long now) {
    turnTo((now - startNanos) / HALF_MINUTE);
    long micros = Math.min(MAX_MICROS, Math.max(0, (nanos + 999) / 1000));
    halves[(int) (half & 1)].incrementAndGet(bucket(micros));
  }

  private void turnTo(long present) {
    if (half != present) {
      synchronized (this) {
        if (half < present) {
          clear(halves[(int) (present & 1)]);
          if (present > half + 1) {
            clear(halves[(int) (half & 1)]);
          }
          half = present;
        }
      }
    }
  }

  private static void clear(AtomicLongArray counts) {
    for (int i = 0; i < BUCKETS; i++) {
      counts.set(i, 0);
    }
  }

  static int bucket(long micros) {
    int shift = Math.max(0, Long.SIZE - 4 - Long.numberOfLeadingZeros(micros));
    return (int) (micros >>> shift) + shift * STEPS;
  }

  /** The highest number of microseconds in {@code bucket}. */
  static long ceiling(int bucket) {
    int shift = Math.max(0, bucket / STEPS - 1);
    return ((long) bucket - (long) shift * STEPS + 1 << shift) - 1;
  }

  /** The samples of the last half to full minute before {@code now}. */
  RedisStatus.Latency snapshot(long now) {
    turnTo((now - startNanos) / HALF_MINUTE);
    long[] counts = new long[BUCKETS];
    long samples = 0;
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = halves[0].get(i) + halves[1].get(i);
      samples += counts[i];
    }
    return new RedisStatus.Latency(
        samples, percentile(counts, samples, 50), percentile(counts, samples, 99));
  }

  private static Duration percentile(long[] counts, long samples, int percent) {
    long rank = (samples * percent + 99) / 100;
    long seen = 0;
    for (int i = 0; i < BUCKETS && samples > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Duration.ofNanos(ceiling(i) * 1000);
      }
    }
    return Duration.ZERO;
  }
}
