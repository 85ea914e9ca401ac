package io.weir.insight.series;

import io.weir.decision.RuleOutcome;

/**
 * Counts of decisions, of one rule or of all. A request counts once in each rule that applied.
 *
 * @param outcomes by {@link RuleOutcome}
 * @param nearLimit allowed requests with less than a fifth of the limit remaining
 * @param fallbacks decisions without the store
 */
public record OutcomeCounts(long[] outcomes, long nearLimit, long fallbacks) {
  /** All counts are zero. */
  public static final OutcomeCounts NONE =
      new OutcomeCounts(new long[RuleOutcome.values().length], 0, 0);

  /** How many decisions had this outcome. */
  public long of(RuleOutcome ruleOutcome) {
    return outcomes[ruleOutcome.ordinal()];
  }

  /** The sum of all outcomes. */
  public long all() {
    long all = 0;
    for (long each : outcomes) {
      all += each;
    }
    return all;
  }

  /**
   * How many requests were refused, including those that a rule in shadow mode would have refused.
   */
  public long refused() {
    return of(RuleOutcome.DENIED) + of(RuleOutcome.SHADOW_DENIED);
  }

  /** The share of {@link #refused} in all decisions; 0 if there were none. */
  public double refusedShare() {
    long all = all();
    return all == 0 ? 0 : (double) refused() / all;
  }
}
