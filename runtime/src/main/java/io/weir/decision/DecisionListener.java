package io.weir.decision;

import io.weir.Decision;

/**
 * Sees each decision as it is counted, on the thread that made it. It must be fast, because it
 * delays the request.
 */
@FunctionalInterface
public interface DecisionListener {
  /** Does nothing. */
  DecisionListener NOBODY = (rule, key, override, ruleOutcome, decision) -> {};

  /**
   * Reports the decision of one rule.
   *
   * @param key the key of the bucket: see {@link io.weir.rules.RuleDecision}
   * @param override the number of the override that replaced the rule's limits, from 1; 0: the
   *     rule's own limits apply
   */
  void saw(RuleCounters rule, String key, int override, RuleOutcome ruleOutcome, Decision decision);
}
