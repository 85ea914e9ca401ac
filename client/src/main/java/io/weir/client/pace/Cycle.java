package io.weir.client.pace;

/**
 * When a short window ends, found out by what it does.
 *
 * <p>A window of a second says of itself what a bucket says: 100 in 1 s, more within a second. What
 * it does is another thing. It gives back nothing, and then everything, in the same moment of each
 * period. So an answer that tells of no less than the one before says that a window ended between
 * the two, and all such answers together say when: with two answers a second, the first says
 * "within these 0.5 s", the next one of another 0.5 s of which 0.2 s are the same, and so on, down
 * to the time that a request is under way. Where they have nothing in common it is no window, and
 * twice as many must agree before it is taken for one again. Windows of several seconds also say
 * when they end, to the second.
 */
final class Cycle {
  private static final long SECOND = 1_000_000_000L;

  /** So many that agree are believed at first. */
  private static final int ENOUGH = 2;

  private static final int MOST_DOUBTS = 6;

  /** Clocks go apart by at most this part of the time. */
  private static final int DRIFT = 1000;

  private long period;
  private boolean isBounded;
  private long earliest;
  private long latest;
  private int agreeing;
  private int doubts;

  /** What is known of another period is forgotten. */
  void period(long nanos) {
    if (period != nanos) {
      period = nanos;
      forget();
    }
  }

  private void forget() {
    isBounded = false;
    agreeing = 0;
  }

  /** It gave back something between these moments. */
  void gaveBack(long after, long before) {
    if (narrow(after, before)) {
      agreeing++;
    }
  }

  /** An answer said that there is more after so many nanoseconds, which were rounded up. */
  void givesBackAfter(long wait, long sentAt, long now) {
    if (wait >= SECOND && narrow(sentAt + wait - SECOND, now + wait) && wait > SECOND) {
      agreeing++; // what gives back all the time has more sooner
    }
  }

  private boolean narrow(long from, long to) {
    if (to - from >= period) {
      return false;
    }
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
    return isBounded && agreeing >= ENOUGH << doubts && slack() <= period / 2;
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
