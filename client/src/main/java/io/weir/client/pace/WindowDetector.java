package io.weir.client.pace;

/**
 * Finds out when a short fixed window ends, from what its responses report.
 *
 * <p>The headers of a one-second window look like those of a bucket: 100 in 1 s, more within a
 * second. The behaviour differs: a window gives back nothing, and then everything, at the same
 * moment of each period. So if a response reports no less than the one before, the window ended
 * between the two. All such responses together narrow down the moment. With two responses a second,
 * the first pair says "within these 0.5 s". The next pair says the same of another 0.5 s, of which
 * 0.2 s overlap, and so on down to the latency of a request. Longer windows also report when they
 * end, to the second.
 *
 * <p>First it must be proved that the limit is a window. A client that mistakes a bucket for a
 * window slows down while the bucket is low, and then gets too few responses to notice its mistake.
 * Either of these is a proof:
 *
 * <ul>
 *   <li>A <i>leap</i>: from 20 to 70 within 0.4 s. A bucket of 100 in 1 s gives 40 in that time.
 *   <li>A reported refill time beyond the one second to which everything is rounded, and then
 *       another one for the end of another period. A sliding log reports such a time once, after a
 *       burst.
 * </ul>
 *
 * <p>If responses contradict each other, everything is discarded, and the next time twice as many
 * proofs are needed. An end that was not observed for ten periods is discarded as well: with so few
 * requests it can no longer be located.
 */
final class WindowDetector {
  private static final long SECOND = 1_000_000_000L;

  private static final int MAX_DOUBTS = 6;

  /** Periods. */
  private static final int MEMORY = 10;

  /** Two clocks drift apart by at most 1/{@value} of the time. */
  private static final int DRIFT = 10_000;

  private long period;
  private boolean isBounded;
  private long earliest;
  private long latest;
  private long seenAt;
  private int proofs;
  private int doubts;

  /** Discards what is known of a different period, or what was not observed for too long. */
  void expect(long nanos, long now) {
    if (period != nanos || now - seenAt > MEMORY * period) {
      period = nanos;
      forget();
    }
  }

  private void forget() {
    isBounded = false;
    proofs = 0;
  }

  /**
   * Between these moments, {@code count} of {@code limit} came back, beyond those that were spent.
   */
  void gaveBack(double count, double limit, long after, long before) {
    long fill = Math.max(period - SECOND, SECOND); // a bucket's period may be rounded up
    boolean isLeap = count > limit * (before - after) / fill + 1;
    if (narrow(after, before) && isLeap) {
      proofs++;
    }
  }

  /** A response reported a refill after this many nanoseconds, which were rounded up. */
  void givesBackAfter(long wait, long sentAt, long now) {
    boolean isOfNext = isBounded && now + wait - latest > period / 2;
    if (wait >= SECOND && narrow(sentAt + wait - SECOND, now + wait) && isOfNext && wait > SECOND) {
      proofs++;
    }
  }

  private boolean narrow(long from, long to) {
    if (to - from >= period) {
      return false;
    }
    seenAt = to;
    if (!isBounded) {
      earliest = from;
      latest = to;
      isBounded = true;
      return true;
    }
    double apart = ((from - earliest) + (to - latest)) / 2.0;
    long shift = Math.round(apart / period) * period;
    long drift = Math.abs(shift) / DRIFT;
    earliest = later(earliest + shift - drift, from);
    latest = -later(-(latest + shift + drift), -to);
    if (latest - earliest >= 0) {
      return true;
    }
    forget();
    doubts = Math.min(doubts + 1, MAX_DOUBTS);
    return false;
  }

  /** Compares by difference, since the clock may wrap around. */
  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /** Whether it is proved to be a window, and its end is known closely enough. */
  boolean isKnown() {
    return proofs >= 1 << doubts && slack() <= period / 2;
  }

  long period() {
    return period;
  }

  /** The latest moment at which the first window end after {@code moment} can be. */
  long endAfter(long moment) {
    return latest + Math.floorDiv(moment - latest, period) * period + period;
  }

  /** How much earlier than that the end may be. */
  long slack() {
    return latest - earliest;
  }
}
