package io.weir.chaos.audit;

import java.time.Duration;

/**
 * The most permits that a limit may grant to one user in any interval of a given length.
 *
 * <p>Redis uses its own clock and the auditor that of the machine. Their rates agree to a
 * thousandth, as every promise assumes. So every length is extended by a thousandth.
 */
public interface GrantBound {
  /** The resolution of the limits under test. */
  long TICK = Duration.ofMillis(1).toNanos();

  /** The most permits in a closed interval of {@code nanos}. */
  long maxPermits(long nanos);

  /**
   * {@code permits} in any half-open window: a shorter closed interval fits into one window, one as
   * long as a window may touch two.
   */
  static GrantBound slidingLog(long permits, Duration window) {
    return nanos -> permits * (1 + longer(nanos) / window.toNanos());
  }

  /**
   * A burst plus {@code permits} for each {@code period}. A bucket counts in whole ticks, so it may
   * see an interval as a tick longer.
   */
  static GrantBound tokenBucket(long permits, Duration period, long burst) {
    return nanos -> burst + permits * (longer(nanos) + TICK) / period.toNanos();
  }

  /** The same with a burst of {@code permits}. */
  static GrantBound tokenBucket(long permits, Duration period) {
    return tokenBucket(permits, period, permits);
  }

  /**
   * {@code permits} in each window aligned to Redis's clock, which the auditor does not know: any
   * interval may touch one window more than its length.
   */
  static GrantBound windows(long permits, Duration window) {
    return nanos -> permits * (2 + longer(nanos) / window.toNanos());
  }

  private static long longer(long nanos) {
    return nanos + nanos / 1000;
  }
}
