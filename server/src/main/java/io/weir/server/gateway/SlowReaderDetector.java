package io.weir.server.gateway;

/**
 * Measures how far a client lags in reading a response, in each timeout check.
 *
 * <p>The lag grows by the time for which the client is waited for, and shrinks with each byte read
 * by the time that byte may take. A client cannot get ahead: the system's buffers may have accepted
 * megabytes for a client that no longer reads.
 *
 * <p>Reads are visible only in steps of {@value #STEP} bytes. At 1,024 bytes a second, a client
 * that reads a step every 30 s lags at most 30 s, and is waited for. One that reads nothing, or a
 * step every 40 s, eventually lags by 32 s, and is too slow.
 */
final class SlowReaderDetector {
  /** A slower response may be aborted when another request needs the connection; bytes a second. */
  private static final long IDLING = 8 * 1024;

  /** The smallest visible read: the unsent bytes must shrink by this much before more is sent. */
  static final long STEP = 32 * 1024;

  private static final long SECOND = 1_000_000_000L;
  private static final long GRACE = 10 * SECOND;

  /** A longer round means that the event loop was delayed, which is not the client's lag. */
  private static final long MAX_ROUND = SECOND / 4;

  private final long minRate;
  private final long allowance;
  private long looked;
  private long seen;
  private boolean wasWaiting;
  private long behindMinRate;
  private long behind;

  /** Without lag, with the limits of {@code terms}. */
  SlowReaderDetector(ProxyOptions proxyOptions) {
    this(proxyOptions.minResponseRate(), proxyOptions.bodyNanos());
  }

  /**
   * Without lag.
   *
   * @param minRate the minimum rate in bytes a second; 0 for none
   * @param maxLagNanos the upper limit of the tolerated lag
   */
  SlowReaderDetector(long minRate, long maxLagNanos) {
    this.minRate = minRate;
    this.allowance =
        minRate == 0
            ? Long.MAX_VALUE
            : Math.min(maxLagNanos, Math.max(GRACE, STEP * SECOND / minRate));
  }

  /**
   * Measures once.
   *
   * @param isWaiting whether the client is waited for
   * @param bytes the number of bytes written so far
   */
  void look(long now, boolean isWaiting, long bytes) {
    long waited = isWaiting && wasWaiting ? Math.min(now - looked, MAX_ROUND) : 0;
    long taken = bytes - seen;
    looked = now;
    seen = bytes;
    wasWaiting = isWaiting;
    behind = fallBehind(behind, taken, IDLING, waited);
    if (minRate > 0) {
      behindMinRate = fallBehind(behindMinRate, taken, minRate, waited);
    }
  }

  private static long fallBehind(long before, long taken, long rate, long waited) {
    long regained = taken / rate * SECOND + taken % rate * SECOND / rate;
    return Math.max(0, before - regained) + waited;
  }

  /** Whether the client reads slower than the settings allow. */
  boolean isTooSlow() {
    return behindMinRate > allowance;
  }

  /** Whether the client hardly reads. */
  boolean isIdling() {
    return wasWaiting && behind > SECOND;
  }

  /** How far the client lags behind a rate of 8 KiB a second, in nanoseconds. */
  long behind() {
    return behind;
  }
}
