package io.weir.seeing;

import java.util.List;

/**
 * What happened since the last tick, which is a second ago as a rule.
 *
 * @param second since the epoch
 * @param requests once each
 * @param all the decisions of all rules: a request counts in each rule that applied
 * @param rules the busiest, each with something to tell
 * @param speed how long the decisions of the last minute took
 */
public record Tick(
    long second, Requests requests, Counts all, List<OfRule> rules, Speed.Quantiles speed) {
  /**
   * What happened to one rule.
   *
   * @param outcomes by {@link io.weir.arbiter.Outcome}
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
