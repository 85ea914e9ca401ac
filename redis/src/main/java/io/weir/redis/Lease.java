package io.weir.redis;

import org.jspecify.annotations.Nullable;

/** One key with leased permits, or with leases as soon as it proves busy. */
final class Lease {
  /*
   * How many permits to request: a key that has spent 400 permits in the 200 ms since its last call
   * would spend 2000 in a lease of 1 s. Seven eighths of these are requested, 1750, so that few are
   * left to give back at the end. If the next call can also close this lease, a quarter more is
   * requested instead, 2500. But never more than twice the last grant, so that a short burst does
   * not look like a steady rate. If even one more request is expected, some permits are requested,
   * because callers that wait for each reply look slower than they are.
   */

  private static final int SMALLEST = 2; // also in verbs.lua
  private static final long MAX_SEEN = 1L << 26; // even times the longest lease this fits a long

  private final String key;
  private volatile @Nullable Grant grant;

  // Only changed by one thread at a time, when Redis is called and replies.
  private boolean wasRequested;
  private boolean isOver;
  private boolean isGivenBack;
  private int underWay;
  private long lastNanos;
  private long lastGranted; // permits, including those of the waiting requests
  private long seen; // permits spent since the last call, without those of the present grant
  private long counted; // permits of the present grant spent before the last call

  Lease(String key) {
    this.key = key;
  }

  String key() {
    return key;
  }

  /** The latest grant; it may have ended. */
  @Nullable Grant grant() {
    return grant;
  }

  /**
   * A call for {@code own} requests of {@code cost} is about to be made.
   *
   * @param leaseNanos how long the permits must last
   * @return how many more to request in advance
   */
  synchronized long permitsToRequest(long cost, int own, long nanos, long leaseNanos) {
    Grant present = grant;
    long spent = present == null ? 0 : present.spent();
    long pace = Math.max(0, seen + spent - counted);
    long elapsed = Math.max(1, nanos - lastNanos);
    boolean isKept = present != null && present.left(nanos) * 2 >= present.permits();
    boolean isFirst = !wasRequested;
    wasRequested = true;
    underWay++;
    lastNanos = nanos;
    seen = own * cost;
    counted = spent;
    if (isFirst || isKept) {
      return 0;
    }
    long due = Math.min(pace, MAX_SEEN) * leaseNanos / elapsed;
    long max = Math.max(2 * lastGranted, (own + SMALLEST) * cost);
    long more = Math.min(due, max) / cost - own;
    return more < 1 ? 0 : Math.max(SMALLEST, more);
  }

  /** The reply has arrived, with {@code permits} granted in total. */
  synchronized void granted(long permits) {
    underWay--;
    lastGranted = permits;
  }

  /** The call failed. */
  synchronized void failed() {
    underWay--;
  }

  /**
   * Spends {@code fresh} from now on.
   *
   * @return the previous grant, which must be closed; {@code fresh} if it comes too late
   */
  synchronized @Nullable Grant replace(Grant fresh) {
    if (isOver) {
      return fresh;
    }
    Grant before = grant;
    if (before != null) {
      seen += before.spent() - counted;
    }
    counted = 0;
    grant = fresh;
    return before;
  }

  /** Ends the lease if the key was idle for {@code idleNanos}. */
  synchronized boolean isIdle(long nanos, long idleNanos) {
    isOver |= underWay <= 0 && nanos - lastNanos > idleNanos;
    return isOver;
  }

  /**
   * Ends the lease; a grant in progress will come too late.
   *
   * @param lateIsGivenBack whether that grant must be given back, rather than left to expire
   */
  synchronized void end(boolean lateIsGivenBack) {
    isOver = true;
    isGivenBack = lateIsGivenBack;
  }

  /** Whether a grant that came too late must be given back. */
  synchronized boolean isGivenBack() {
    return isGivenBack;
  }
}
