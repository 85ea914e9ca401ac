package io.weir.insight.series;

import java.util.List;

/**
 * The changes since the last tick, which is usually a second ago.
 *
 * @param second since the epoch
 * @param requestCounts once each
 * @param all the decisions of all rules: a request counts in each rule that applied
 * @param rules the busiest rules that had decisions
 * @param speed the decision times of the last minute
 */
public record Tick(
    long second,
    RequestCounts requestCounts,
    OutcomeCounts all,
    List<OfRule> rules,
    DecisionLatency.Quantiles speed) {
  /**
   * The changes of one rule.
   *
   * @param outcomes by {@link io.weir.decision.RuleOutcome}
   */
  public record OfRule(String rule, long[] outcomes) {
    long sum() {
      long sum = 0;
      for (long each : outcomes) {
        sum += each;
      }
      return sum;
    }
  }
}
