package io.weir.insight.series;

import io.weir.decision.DecisionTimings;

/** The decision times of the last minute. */
public final class DecisionLatency {
  private static final long[] BOUNDS = DecisionTimings.bounds();

  private final DecisionTimings decisionTimings;
  private final LastMinute lastMinute;
  private long[] seen;

  DecisionLatency(DecisionTimings decisionTimings, long now) {
    this.decisionTimings = decisionTimings;
    this.seen = new long[BOUNDS.length + 1];
    this.lastMinute = new LastMinute(seen.length, now);
  }

  void read(long now) {
    long[] counts = decisionTimings.counts();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] != seen[i]) {
        lastMinute.add(i, counts[i] - seen[i], now);
      }
    }
    seen = counts;
  }

  /** The quantiles as of now. */
  Quantiles quantiles(long now) {
    long[] counts = new long[seen.length];
    long all = 0;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = lastMinute.sum(i, now);
      all += counts[i];
    }
    return new Quantiles(all, nanos(counts, all, 0.5), nanos(counts, all, 0.99));
  }

  /** Interpolates evenly between two bounds; never above the last bound. */
  private static long nanos(long[] counts, long all, double share) {
    double wanted = all * share;
    long below = 0;
    for (int i = 0; i < BOUNDS.length; i++) {
      if (counts[i] > 0 && below + counts[i] >= wanted) {
        long from = i == 0 ? 0 : BOUNDS[i - 1];
        return from + Math.round((BOUNDS[i] - from) * (wanted - below) / counts[i]);
      }
      below += counts[i];
    }
    return all == 0 ? 0 : BOUNDS[BOUNDS.length - 1];
  }

  /**
   * The median and the 99th percentile.
   *
   * @param decisions how many there were; with none, the times are 0
   */
  public record Quantiles(long decisions, long medianNanos, long slowNanos) {}
}
