package io.weir.client.pace;

/**
 * When a short window ends, found out by what it does.
 *
 * <p>A window of a second says of itself what a bucket says: 100 in 1 s, more within a second. What
 * it does is another thing: it gives back nothing, and then everything, in the same moment of each
 * period. So an answer that tells of no less than the one before says that the window ended between
 * the two, and all such answers together say when: with two answers a second, the first says
 * "within these 0.5 s", the next one says so of other 0.5 s of which 0.2 s are the same, and so on,
 * down to the time that a request is under way. Longer windows also say when they end, to the
 * second.
 *
 * <p>That it is a window at all has to be proved first, as those who take a bucket for one slow
 * down while it is low, and hear too little to find out. Either is a proof:
 *
 * <ul>
 *   <li>A <i>leap</i>: from 20 to 70 within 0.4 s. A bucket of 100 in 1 s gives 40 in that time.
 *   <li>It said when there is more, by more than the second that everything is rounded to, and once
 *       more after that, of the end of another period. A sliding log says such things once, after a
 *       burst.
 * </ul>
 *
 * <p>Where answers contradict each other all is forgotten, and twice as much is asked for the next
 * time. What was not seen again for ten periods is forgotten as well: whoever asks too seldom
 * cannot tell any more.
 */
final class Cycle {
  private static final long SECOND = 1_000_000_000L;

  private static final int MOST_DOUBTS = 6;

  /** Periods. */
  private static final int MEMORY = 10;

  /** Clocks go apart by at most this part of the time. */
  private static final int DRIFT = 10_000;

  private long period;
  private boolean isBounded;
  private long earliest;
  private long latest;
  private long seenAt;
  private int proofs;
  private int doubts;

  /** What is known of another period, or was not seen again for long, is forgotten. */
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

  /** So many came back of so many between these moments, or as many as were spent. */
  void gaveBack(double count, double limit, long after, long before) {
    long fill = Math.max(period - SECOND, SECOND); // a bucket's may have been rounded up
    boolean isLeap = count > limit * (before - after) / fill + 1;
    if (narrow(after, before) && isLeap) {
      proofs++;
    }
  }

  /** An answer said that there is more after so many nanoseconds, which were rounded up. */
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
    doubts = Math.min(doubts + 1, MOST_DOUBTS);
    return false;
  }

  /** The clock may be at the end of its range. */
  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /** Whether it is a window whose end is known. */
  boolean isKnown() {
    return proofs >= 1 << doubts && slack() <= period / 2;
  }

  long period() {
    return period;
  }

  /** The first end after that moment, at the latest. */
  long endAfter(long moment) {
    return latest + Math.floorDiv(moment - latest, period) * period + period;
  }

  /** By how much an end may be earlier than that. */
  long slack() {
    return latest - earliest;
  }
}
