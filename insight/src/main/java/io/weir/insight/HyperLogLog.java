package io.weir.insight;

import org.jspecify.annotations.Nullable;

/**
 * Estimates how many distinct callers there were, without keeping any of them.
 *
 * <p>HyperLogLog (Flajolet and others, 2007): the hash of a caller picks one of m registers, which
 * keeps the longest run of zeros seen in the rest of the hash. A repeated caller changes nothing.
 * The standard error is 1.04 / √m: 3.3 % for 1,024 registers of a byte, 9.2 % for 128. Below 2.5
 * callers per register the empty registers are counted instead, which is more accurate.
 *
 * <p>There are three sets of registers for twelve hours each, the latest still open. So the result
 * covers the last 24 to 36 hours. Sets may differ in size: they are merged as if each had as few
 * registers as the smallest.
 */
final class HyperLogLog {
  private static final int SETS = 3;
  private static final long SET_MILLIS = 12L * 3600 * 1000;

  private static final double[] HALVED = new double[66]; // 1, 1/2, 1/4 …

  static {
    for (int i = 0; i < HALVED.length; i++) {
      HALVED[i] = Math.scalb(1.0, -i);
    }
  }

  private final byte[] @Nullable [] sets = new byte[SETS][];
  private int registers;
  private long latest;
  private long counted; // the latest result
  private boolean isCounted; // and no new caller has come since

  /**
   * @param registers a power of two
   */
  HyperLogLog(int registers) {
    this.registers = registers;
  }

  /** Sets the number of registers of all later sets. */
  void resize(int to) {
    registers = to;
  }

  void add(long hash, long nowMillis) {
    long number = Math.floorDiv(nowMillis, SET_MILLIS);
    turnTo(number);
    int at = (int) Math.floorMod(number, (long) SETS);
    byte[] set = sets[at];
    if (set == null) {
      set = new byte[registers];
      sets[at] = set;
      isCounted = false;
    }
    int last = set.length - 1;
    int register = (int) hash & last;
    // A bit is set below the relevant ones, so that the run of zeros is bounded.
    byte run = (byte) (1 + Long.numberOfLeadingZeros(hash | last));
    if (run > set[register]) {
      set[register] = run;
      isCounted = false;
    }
  }

  private void turnTo(long number) {
    if (number > latest) {
      for (long each = Math.max(latest + 1, number - SETS + 1); each <= number; each++) {
        sets[(int) Math.floorMod(each, (long) SETS)] = null;
      }
      latest = number;
      isCounted = false;
    }
  }

  /** The estimate. It is computed again only if a new caller has come since. */
  long count(long nowMillis) {
    turnTo(Math.floorDiv(nowMillis, SET_MILLIS));
    if (!isCounted) {
      counted = estimate();
      isCounted = true;
    }
    return counted;
  }

  private long estimate() {
    int fewest = fewest();
    byte[] longestRuns = new byte[fewest];
    for (byte @Nullable [] set : sets) {
      for (int i = 0; set != null && i < set.length; i++) {
        int at = i & (fewest - 1); // its register in a smaller set
        longestRuns[at] = (byte) Math.max(longestRuns[at], set[i]);
      }
    }
    double sum = 0;
    int empty = 0;
    for (byte run : longestRuns) {
      sum += HALVED[run];
      empty += run == 0 ? 1 : 0;
    }
    double estimate = 0.7213 / (1 + 1.079 / fewest) * fewest * fewest / sum;
    if (estimate <= 2.5 * fewest && empty > 0) {
      estimate = fewest * Math.log((double) fewest / empty);
    }
    return Math.round(estimate);
  }

  /** The start of the time that {@link #count} covers. */
  static long startMillis(long nowMillis) {
    return (Math.floorDiv(nowMillis, SET_MILLIS) - SETS + 1) * SET_MILLIS;
  }

  /** The relative standard error of the count. */
  double error() {
    return 1.04 / Math.sqrt(fewest());
  }

  /** The size of the smallest set: a larger set can be folded into a smaller one. */
  private int fewest() {
    int fewest = 0;
    for (byte @Nullable [] set : sets) {
      fewest = set == null || (fewest > 0 && fewest < set.length) ? fewest : set.length;
    }
    return fewest == 0 ? registers : fewest;
  }

  /** The approximate memory use. */
  long bytes() {
    long sum = 64;
    for (byte @Nullable [] set : sets) {
      sum += set == null ? 0 : 16 + set.length;
    }
    return sum;
  }
}
