package io.weir.decision;

import io.weir.Decision;
import io.weir.Fallbacks;
import io.weir.OnFailure;
import io.weir.Origin;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the decisions made without the store, over all rules. Removed rules stay included, so the
 * sums never decrease.
 */
final class FallbackCounters {
  private final LongAdder allowed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder wouldRefuse = new LongAdder();

  void count(RuleOutcome ruleOutcome, Decision decision, OnFailure policy) {
    if (decision.origin() != Origin.FAILURE && decision.origin() != Origin.LOCAL) {
      return;
    }
    if (ruleOutcome == RuleOutcome.SHADOW_DENIED) {
      wouldRefuse.increment();
    } else if (decision.allowed()) {
      allowed.increment();
    } else if (decision.origin() == Origin.FAILURE && policy == OnFailure.ERROR) {
      errors.increment();
    } else {
      refused.increment();
    }
  }

  Fallbacks sum(List<RuleCounters> rules) {
    Map<String, Long> byRule = new TreeMap<>();
    for (RuleCounters rule : rules) {
      long all = rule.fallbacks();
      if (all > 0) {
        byRule.put(rule.label(), all);
      }
    }
    return new Fallbacks(
        allowed.sum(), refused.sum(), errors.sum(), wouldRefuse.sum(), "rule", byRule);
  }
}
