package io.weir.redis;

import org.jspecify.annotations.Nullable;

/** One key of which permits are leased, or may be as soon as it is known to be busy. */
final class Lease {
  /*
   * How many to ask for: a key that has spent 400 permits in the 200 ms since its last call comes to
   * 2000 in a lease of 1 s. Of these seven eighths are asked for, 1750, so that they are mostly gone
   * before the lease is over and nothing is to be given back; a quarter more instead, 2500, where the
   * next call tells of the rest besides. But never more than twice as many as were granted the last
   * time, so that a short burst does not look like a pace. Where so much as one more is expected, some
   * are asked for: callers who wait for each answer look slower than they are.
   */

  private static final int SMALLEST = 2; // verbs.lua has it too
  private static final long MOST_SEEN = 1L << 26; // times the longest lease it is still a long

  private final String key;
  private volatile @Nullable Grant grant;

  // What follows is changed by one at a time, when Redis is asked and answers.
  private boolean wasAsked;
  private boolean isOver;
  private boolean isGivenBack;
  private int underWay;
  private long lastNanos;
  private long lastGranted; // permits, with those of the callers
  private long seen; // permits since the last call, but for those of the present grant
  private long counted; // of the present grant, before the last call

  Lease(String key) {
    this.key = key;
  }

  String key() {
    return key;
  }

  /** What was granted last; it may be over. */
  @Nullable Grant grant() {
    return grant;
  }

  /**
   * A call is about to be made for {@code own} requests of {@code cost}.
   *
   * @param leaseNanos for how long they are to last
   * @return how many more of them to ask for in advance
   */
  synchronized long ask(long cost, int own, long nanos, long leaseNanos) {
    Grant present = grant;
    long spent = present == null ? 0 : present.spent();
    long pace = Math.max(0, seen + spent - counted);
    long elapsed = Math.max(1, nanos - lastNanos);
    boolean isKept = present != null && present.left(nanos) * 2 >= present.permits();
    boolean isFirst = !wasAsked;
    wasAsked = true;
    underWay++;
    lastNanos = nanos;
    seen = own * cost;
    counted = spent;
    if (isFirst || isKept) {
      return 0;
    }
    long due = Math.min(pace, MOST_SEEN) * leaseNanos / elapsed;
    long most = Math.max(2 * lastGranted, (own + SMALLEST) * cost);
    long more = Math.min(due, most) / cost - own;
    return more < 1 ? 0 : Math.max(SMALLEST, more);
  }

  /** The call was answered, and {@code permits} were granted in all. */
  synchronized void answered(long permits) {
    underWay--;
    lastGranted = permits;
  }

  /** The call came to nothing. */
  synchronized void failed() {
    underWay--;
  }

  /**
   * From now on {@code fresh} is spent.
   *
   * @return the grant before, which is to be closed; {@code fresh} if it comes too late
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

  /** Ends it if nobody has asked for it for {@code idleNanos}. */
  synchronized boolean isIdle(long nanos, long idleNanos) {
    isOver |= underWay <= 0 && nanos - lastNanos > idleNanos;
    return isOver;
  }

  /**
   * Ends it; what is still under way will come too late.
   *
   * @param lateIsGivenBack whether that is given back then, rather than left to time
   */
  synchronized void end(boolean lateIsGivenBack) {
    isOver = true;
    isGivenBack = lateIsGivenBack;
  }

  /** Whether a grant that came too late is to be given back. */
  synchronized boolean isGivenBack() {
    return isGivenBack;
  }
}
