package io.weir.rules.replay.count;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.replay.ReplayOutcome;
import io.weir.rules.replay.RuleSummary;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Counts the decisions of one rule. */
final class ReplayRuleCounter {
  private final Rule rule;
  private final ReplayOutcomeCounter outcomes;
  // created on first use: it takes two kilobytes, and most rules of a large set never apply
  private @Nullable KeyCounter keys;
  private final long[] use = new long[RuleSummary.USE_STEPS];
  private double peakUse;

  ReplayRuleCounter(Rule rule, TimeSpans timeSpans) {
    this.rule = rule;
    this.outcomes = new ReplayOutcomeCounter(timeSpans);
  }

  /** Counts a decision of this rule, in the time span at {@code place}. */
  void add(RuleDecision ruleDecision, boolean isShadow, int place) {
    Decision decision = ruleDecision.decision();
    boolean refused = !decision.allowed();
    if (keys == null) {
      keys = new KeyCounter();
    }
    keys.add(ruleDecision.key(), refused);
    outcomes.add(
        refused
            ? isShadow ? ReplayOutcome.SHADOW_REFUSED : ReplayOutcome.REFUSED
            : decision.delay().isZero() ? ReplayOutcome.ALLOWED : ReplayOutcome.DELAYED,
        place);
    double used = used(decision);
    peakUse = Math.max(peakUse, used);
    use[Math.min((int) (used * RuleSummary.USE_STEPS), RuleSummary.USE_STEPS - 1)]++;
  }

  /** The highest used share of any of its limits, from 0 to 1. */
  private static double used(Decision decision) {
    double highest = 0;
    List<LimitStatus> statuses = decision.standings();
    for (int i = 0; i < statuses.size(); i++) {
      LimitStatus limitStatus = statuses.get(i);
      long capacity = limitStatus.limit().capacity();
      double left = capacity == 0 ? 0 : (double) limitStatus.remaining() / capacity;
      highest = Math.max(highest, 1 - left);
    }
    return highest;
  }

  RuleSummary summary() {
    return new RuleSummary(
        rule,
        outcomes.counts(),
        keys == null ? 0 : keys.keys(),
        keys == null ? 0 : keys.keysHit(),
        peakUse,
        LongStream.of(use).boxed().toList(),
        keys == null ? List.of() : keys.top(rule),
        outcomes.outcomeSeries());
  }
}
