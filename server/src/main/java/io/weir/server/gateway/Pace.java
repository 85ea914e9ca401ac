package io.weir.server.gateway;

/**
 * How fast an exchange gets on, as seen from round to round of the lookout: nobody looks at a clock
 * for a request that is over before the first round.
 */
final class Pace {
  /** What is slower than this need not be waited for when others need the connection. */
  private static final double IDLING = 8 * 1024;

  private static final long SECOND = 1_000_000_000L;

  /** How long a body may take to get going. */
  private static final long GRACE = 10 * SECOND;

  private final Terms terms;
  private int moves;
  private int seen = -1;
  private long since;
  private boolean isFollowed;
  private long begun;
  private long followed;
  private long stalled;

  Pace(Terms terms) {
    this.terms = terms;
  }

  /** Something came or went. */
  void moved() {
    moves++;
  }

  /** How long nothing has moved. */
  long idle(long now) {
    if (seen != moves) {
      seen = moves;
      since = now;
    }
    return now - since;
  }

  /**
   * Goes on to watch a body.
   *
   * @param isStalled whether it is not the sender that is waited for
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

  /** Whether a body comes slower than the terms allow. */
  boolean isTooSlow(long now, long bytes) {
    return isFollowed
        && now - begun - stalled > Math.min(GRACE, terms.bodyNanos())
        && rate(now, bytes) < terms.leastRate();
  }

  /** Whether a body hardly comes at all. */
  boolean isIdling(long now, long bytes) {
    return isFollowed && now - begun > SECOND && rate(now, bytes) < IDLING;
  }

  /** How far the sender is behind one that brings 8 KiB a second, in nanoseconds. */
  long behind(long now, long bytes) {
    return now - begun - stalled - (long) (bytes * SECOND / IDLING);
  }

  /** Bytes a second. */
  private double rate(long now, long bytes) {
    long nanos = Math.max(1, now - begun - stalled);
    return bytes * (double) SECOND / nanos;
  }
}
