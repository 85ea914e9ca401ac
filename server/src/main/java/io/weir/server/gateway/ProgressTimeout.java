package io.weir.server.gateway;

/**
 * The progress of an exchange, measured only in the rounds of {@link
 * io.weir.server.connection.TimeoutSweeper}. So a request that ends before the first round never
 * reads a clock.
 */
final class ProgressTimeout {
  /** A slower body may be aborted when another request needs the connection; bytes a second. */
  private static final double IDLING = 8 * 1024;

  private static final long SECOND = 1_000_000_000L;

  /** How long a body may be slow at its start. */
  private static final long GRACE = 10 * SECOND;

  private final ProxyOptions proxyOptions;
  private int moves;
  private int seen = -1;
  private long since;
  private boolean isFollowed;
  private long begun;
  private long followed;
  private long stalled;

  ProgressTimeout(ProxyOptions proxyOptions) {
    this.proxyOptions = proxyOptions;
  }

  /** Records progress. */
  void moved() {
    moves++;
  }

  /** The nanoseconds since the last progress. */
  long idle(long now) {
    if (seen != moves) {
      seen = moves;
      since = now;
    }
    return now - since;
  }

  /**
   * Measures a body in each round.
   *
   * @param isStalled whether the receiver is waited for, not the sender
   */
  void follow(long now, boolean isStalled) {
    if (!isFollowed) {
      isFollowed = true;
      begun = now;
    } else if (isStalled) {
      stalled += now - followed;
    }
    followed = now;
  }

  /** Whether a body is slower than the settings allow. */
  boolean isTooSlow(long now, long bytes) {
    return isFollowed
        && now - begun - stalled > Math.min(GRACE, proxyOptions.bodyNanos())
        && rate(now, bytes) < proxyOptions.minRate();
  }

  /** Whether a body makes little progress. */
  boolean isIdling(long now, long bytes) {
    return isFollowed && now - begun > SECOND && rate(now, bytes) < IDLING;
  }

  /** How far the sender lags behind a rate of 8 KiB a second, in nanoseconds. */
  long behind(long now, long bytes) {
    return now - begun - stalled - (long) (bytes * SECOND / IDLING);
  }

  /** The rate in bytes a second, without the time in which the receiver was waited for. */
  private double rate(long now, long bytes) {
    long nanos = Math.max(1, now - begun - stalled);
    return bytes * (double) SECOND / nanos;
  }
}
