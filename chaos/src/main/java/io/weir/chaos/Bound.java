package io.weir.chaos;

import java.time.Duration;

/**
 * The most permits that a limit may give to one user in any interval of a length.
 *
 * <p>Redis counts by its clock and the auditor by that of the machine; both run at the same rate to
 * a thousandth, as every promise assumes. So every length is taken a thousandth longer than it is.
 */
interface Bound {
  /** Of the limits that are tried here. */
  long TICK = Duration.ofMillis(1).toNanos();

  /** The most permits that may fall into a closed interval of {@code nanos}. */
  long most(long nanos);

  /**
   * {@code permits} in any half-open window: a closed interval that is shorter fits into one
   * window, one as long as a window may touch two.
   */
  static Bound slidingLog(long permits, Duration window) {
    return nanos -> permits * (1 + longer(nanos) / window.toNanos());
  }

  /**
   * A burst and {@code permits} more for each {@code period}. A bucket counts in whole ticks, so
   * that an interval may be a tick longer to it.
   */
  static Bound tokenBucket(long permits, Duration period, long burst) {
    return nanos -> burst + permits * (longer(nanos) + TICK) / period.toNanos();
  }

  /** The same with a burst of {@code permits}. */
  static Bound tokenBucket(long permits, Duration period) {
    return tokenBucket(permits, period, permits);
  }

  /**
   * {@code permits} in each window on round times of Redis's clock, which the auditor does not
   * know: any interval may touch one window more than it is long.
   */
  static Bound windows(long permits, Duration window) {
    return nanos -> permits * (2 + longer(nanos) / window.toNanos());
  }

  private static long longer(long nanos) {
    return nanos + nanos / 1000;
  }
}
