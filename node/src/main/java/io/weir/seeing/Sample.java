package io.weir.seeing;

import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A fair sample of all callers: those whose hash is below a bound, which falls so that there are
 * not too many of them.
 *
 * <p>Whether somebody is in it does not depend on how much or when they ask. Where the bound is a
 * tenth of all hashes, each one in the sample stands for ten. Once it holds few, because callers
 * went away, the bound is doubled; for the time before that the old bound is the one to count by,
 * so the lowest of each quarter of an hour is remembered, for a day.
 */
final class Sample {
  private static final int QUARTERS = 96;
  private static final int QUARTER_SECONDS = 900;
  private static final double ALL = 0x1p64;

  private final TreeMap<Long, Caller> byRank = new TreeMap<>();
  private final long[] lowest = new long[QUARTERS];
  private int most;
  private long bound = Long.MAX_VALUE; // as a rank; this one: everybody
  private long latest;

  Sample(int most, long second) {
    this.most = most;
    this.latest = Math.floorDiv(second, (long) QUARTER_SECONDS);
    Arrays.fill(lowest, Long.MAX_VALUE);
  }

  /** Hashes are unsigned, ranks in order. */
  private static long rank(long hash) {
    return hash ^ Long.MIN_VALUE;
  }

  boolean isFor(long hash) {
    return bound == Long.MAX_VALUE || rank(hash) < bound;
  }

  /** Takes one in; returns who has to go for it, which may be the one who came. */
  @Nullable Caller add(Caller caller) {
    caller.isSampled = true;
    byRank.put(rank(caller.hash), caller);
    return byRank.size() > most ? dropLast() : null;
  }

  private @Nullable Caller dropLast() {
    var last = byRank.pollLastEntry();
    if (last == null) {
      return null;
    }
    bound = last.getKey();
    int at = (int) Math.floorMod(latest, (long) QUARTERS);
    lowest[at] = Math.min(lowest[at], bound);
    last.getValue().isSampled = false;
    return last.getValue();
  }

  void remove(Caller caller) {
    byRank.remove(rank(caller.hash));
  }

  /** Has room for fewer from now on; returns one who has to go, null if all have room. */
  @Nullable Caller shrinkTo(int fewer) {
    most = Math.min(most, fewer);
    return byRank.size() > most ? dropLast() : null;
  }

  /** Has room for more from now on, and lets as many more in. */
  void growTo(int more) {
    if (more > most) {
      widen((double) more / Math.max(1, most));
      most = more;
    }
  }

  private void widen(double times) {
    if (bound != Long.MAX_VALUE) {
      double wider = times * share(bound);
      bound = wider >= 1 ? Long.MAX_VALUE : rank((long) (wider * 0x1p63) << 1);
    }
  }

  /** Once a quarter of an hour: lets more in if there are few. */
  void moveTo(long second) {
    long quarter = Math.floorDiv(second, (long) QUARTER_SECONDS);
    if (quarter <= latest) {
      return;
    }
    if (byRank.size() < most / 2) {
      widen(2);
    }
    for (long each = Math.max(latest + 1, quarter - QUARTERS + 1); each <= quarter; each++) {
      lowest[(int) Math.floorMod(each, (long) QUARTERS)] = bound;
    }
    latest = quarter;
  }

  /** The lowest bound in the last {@code seconds}: who is below it was recorded all the time. */
  long boundOver(long seconds) {
    long quarters = Math.min(QUARTERS, seconds / QUARTER_SECONDS + 2);
    long least = bound;
    for (long each = latest; each > latest - quarters; each--) {
      least = Math.min(least, lowest[(int) Math.floorMod(each, (long) QUARTERS)]);
    }
    return least;
  }

  static boolean isBelow(long hash, long bound) {
    return bound == Long.MAX_VALUE || rank(hash) < bound;
  }

  /** One in how many callers is below {@code bound}, as a share. */
  static double share(long bound) {
    if (bound == Long.MAX_VALUE) {
      return 1;
    }
    double unsigned = (double) bound + 0x1p63; // a rank is 2⁶³ below its hash
    return Math.max(unsigned, 1) / ALL;
  }
}
