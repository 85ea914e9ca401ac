package io.weir.insight.series;

import org.jspecify.annotations.Nullable;

/**
 * Outcomes over time: of one rule, of several rules together, or of requests.
 *
 * @param rule null: all, or all others
 * @param unknown how many of the oldest slots are from before the recording began
 * @param counts by {@link io.weir.decision.RuleOutcome}, then by slot, the oldest first; those of
 *     requests by {@link io.weir.decision.RequestOutcome}, plus a last row for those that a shadow
 *     rule would have refused
 */
public record ChartSeries(@Nullable String rule, int unknown, long[][] counts) {
  /** The sum of all counts. */
  long sum() {
    long sum = 0;
    for (long[] each : counts) {
      for (long count : each) {
        sum += count;
      }
    }
    return sum;
  }

  /** This line minus {@code other}. */
  ChartSeries minus(ChartSeries other) {
    long[][] left = new long[counts.length][];
    for (int i = 0; i < left.length; i++) {
      left[i] = counts[i].clone();
      for (int slot = 0; slot < left[i].length; slot++) {
        left[i][slot] -= other.counts[i][slot];
      }
    }
    return new ChartSeries(rule, unknown, left);
  }
}
