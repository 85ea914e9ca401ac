package io.weir.seeing;

import org.jspecify.annotations.Nullable;

/**
 * The outcomes of one rule, of several together, or of requests, over time.
 *
 * @param rule null: all, or all others
 * @param unknown how many of the oldest slots are from before anybody looked
 * @param counts by {@link io.weir.arbiter.Outcome}; those of requests by {@link
 *     io.weir.arbiter.RequestOutcome}, with those at last that a shadow rule would have refused;
 *     then by slot, the oldest first
 */
public record Line(@Nullable String rule, int unknown, long[][] counts) {
  /** All of it together. */
  long sum() {
    long sum = 0;
    for (long[] each : counts) {
      for (long count : each) {
        sum += count;
      }
    }
    return sum;
  }

  /** What is left without {@code other}. */
  Line minus(Line other) {
    long[][] left = new long[counts.length][];
    for (int i = 0; i < left.length; i++) {
      left[i] = counts[i].clone();
      for (int slot = 0; slot < left[i].length; slot++) {
        left[i][slot] -= other.counts[i][slot];
      }
    }
    return new Line(rule, unknown, left);
  }
}
