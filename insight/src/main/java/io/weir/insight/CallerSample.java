package io.weir.insight;

import java.util.Arrays;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A fair sample of all callers: those with a hash below a bound. The bound is lowered to limit the
 * size of the sample.
 *
 * <p>Membership does not depend on how much or when a caller makes requests. If the bound is a
 * tenth of all hashes, each caller in the sample represents ten. When callers leave and the sample
 * is small, the bound is doubled. For the time before that, the old bound is the right one. So the
 * lowest bound of each quarter of an hour is kept for a day.
 */
final class CallerSample {
  private static final int QUARTERS = 96;
  private static final int QUARTER_SECONDS = 900;
  private static final double ALL = 0x1p64;

  private final TreeMap<Long, RecordedCaller> byRank = new TreeMap<>();
  private final long[] lowest = new long[QUARTERS];
  private int maxSize;
  private long bound = Long.MAX_VALUE; // as a rank; this value: all callers
  private long latest;

  CallerSample(int maxSize, long second) {
    this.maxSize = maxSize;
    this.latest = Math.floorDiv(second, (long) QUARTER_SECONDS);
    Arrays.fill(lowest, Long.MAX_VALUE);
  }

  /** Ranks are hashes mapped to signed order. */
  private static long rank(long hash) {
    return hash ^ Long.MIN_VALUE;
  }

  boolean isFor(long hash) {
    return bound == Long.MAX_VALUE || rank(hash) < bound;
  }

  /** Adds a caller; returns the caller that was removed for it, which may be the same one. */
  @Nullable RecordedCaller add(RecordedCaller recordedCaller) {
    recordedCaller.isSampled = true;
    byRank.put(rank(recordedCaller.hash), recordedCaller);
    return byRank.size() > maxSize ? dropLast() : null;
  }

  private @Nullable RecordedCaller dropLast() {
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

  void remove(RecordedCaller recordedCaller) {
    byRank.remove(rank(recordedCaller.hash));
  }

  /** Reduces the size; returns one removed caller, null if all have room. */
  @Nullable RecordedCaller shrinkTo(int fewer) {
    maxSize = Math.min(maxSize, fewer);
    return byRank.size() > maxSize ? dropLast() : null;
  }

  /** Raises the size and widens the bound in proportion. */
  void growTo(int more) {
    if (more > maxSize) {
      widen((double) more / Math.max(1, maxSize));
      maxSize = more;
    }
  }

  private void widen(double times) {
    if (bound != Long.MAX_VALUE) {
      double wider = times * share(bound);
      bound = wider >= 1 ? Long.MAX_VALUE : rank((long) (wider * 0x1p63) << 1);
    }
  }

  /** Once a quarter of an hour: widens the bound if the sample is small. */
  void moveTo(long second) {
    long quarter = Math.floorDiv(second, (long) QUARTER_SECONDS);
    if (quarter <= latest) {
      return;
    }
    if (byRank.size() < maxSize / 2) {
      widen(2);
    }
    for (long each = Math.max(latest + 1, quarter - QUARTERS + 1); each <= quarter; each++) {
      lowest[(int) Math.floorMod(each, (long) QUARTERS)] = bound;
    }
    latest = quarter;
  }

  /** The lowest bound in the last {@code seconds}: callers below it were recorded all the time. */
  long boundOver(long seconds) {
    long quarters = Math.min(QUARTERS, seconds / QUARTER_SECONDS + 2);
    long lowestBound = bound;
    for (long each = latest; each > latest - quarters; each--) {
      lowestBound = Math.min(lowestBound, lowest[(int) Math.floorMod(each, (long) QUARTERS)]);
    }
    return lowestBound;
  }

  static boolean isBelow(long hash, long bound) {
    return bound == Long.MAX_VALUE || rank(hash) < bound;
  }

  /** The share of callers below {@code bound}. */
  static double share(long bound) {
    if (bound == Long.MAX_VALUE) {
      return 1;
    }
    double unsigned = (double) bound + 0x1p63; // a rank is 2⁶³ below its hash
    return Math.max(unsigned, 1) / ALL;
  }
}
