package io.weir.arbiter;

import io.weir.Decision;

/**
 * Sees each decision as it is counted, on the thread that made it. It must be fast, because it
 * delays the request.
 */
@FunctionalInterface
public interface Witness {
  /** Does nothing. */
  Witness NOBODY = (rule, key, override, outcome, decision) -> {};

  /**
   * Reports the decision of one rule.
   *
   * @param key the key of the bucket: see {@link io.weir.rules.Verdict}
   * @param override the number of the override that replaced the rule's limits, from 1; 0: the
   *     rule's own limits apply
   */
  void saw(RuleTally rule, String key, int override, Outcome outcome, Decision decision);
}
