package io.weir.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long answers take: a histogram of the last half to full minute.
 *
 * <p>A percentile is told rounded up, at most an eighth too high. About 2 KB; nothing is allocated
 * when a sample is added.
 */
final class Latencies {
  /*
   * A bucket for each eighth of a power of two of microseconds: 0, 1, ... 15 by ones, 16 to 30 by
   * twos, 32 to 60 by fours, up to a minute. Two histograms: one is filled, the other is of the half
   * minute before and is read along with it; when the half minute is over they change places.
   */
  private static final long HALF_MINUTE = Duration.ofSeconds(30).toNanos();
  private static final int STEPS = 8; // in a power of two
  private static final long MOST_MICROS = Duration.ofMinutes(1).toNanos() / 1000;
  private static final int BUCKETS = bucket(MOST_MICROS) + 1;

  private final long startNanos = System.nanoTime();
  private final AtomicLongArray[] halves = {
    new AtomicLongArray(BUCKETS), new AtomicLongArray(BUCKETS)
  };
  private volatile long half; // how many have begun

  /** Adds a sample of {@code nanos} at {@code now}. */
  void add(long nanos, long now) {
    turnTo((now - startNanos) / HALF_MINUTE);
    long micros = Math.min(MOST_MICROS, Math.max(0, (nanos + 999) / 1000));
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

  /** The largest number of microseconds that belongs to {@code bucket}. */
  static long ceiling(int bucket) {
    int shift = Math.max(0, bucket / STEPS - 1);
    return ((long) bucket - (long) shift * STEPS + 1 << shift) - 1;
  }

  /** What was added in the last half to full minute before {@code now}. */
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
