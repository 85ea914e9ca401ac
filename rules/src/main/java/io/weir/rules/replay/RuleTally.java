package io.weir.rules.replay;

import io.weir.Decision;
import io.weir.Standing;
import io.weir.rules.Rule;
import io.weir.rules.Verdict;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Counts the decisions of one rule. */
final class RuleTally {
  private final Rule rule;
  private final OutcomeTally outcomes;
  // created on first use: it takes two kilobytes, and most rules of a large set never apply
  private @Nullable KeyTally keys;
  private final long[] use = new long[RuleSummary.USE_STEPS];
  private double peakUse;

  RuleTally(Rule rule, Axis axis) {
    this.rule = rule;
    this.outcomes = new OutcomeTally(axis);
  }

  /** Counts a verdict of this rule, in the time span at {@code place}. */
  void add(Verdict verdict, boolean isShadow, int place) {
    Decision decision = verdict.decision();
    boolean refused = !decision.allowed();
    if (keys == null) {
      keys = new KeyTally();
    }
    keys.add(verdict.key(), refused);
    outcomes.add(
        refused
            ? isShadow ? Outcome.SHADOW_REFUSED : Outcome.REFUSED
            : decision.delay().isZero() ? Outcome.ALLOWED : Outcome.DELAYED,
        place);
    double used = used(decision);
    peakUse = Math.max(peakUse, used);
    use[Math.min((int) (used * RuleSummary.USE_STEPS), RuleSummary.USE_STEPS - 1)]++;
  }

  /** The highest used share of any of its limits, from 0 to 1. */
  private static double used(Decision decision) {
    double most = 0;
    List<Standing> standings = decision.standings();
    for (int i = 0; i < standings.size(); i++) {
      Standing standing = standings.get(i);
      long capacity = standing.limit().capacity();
      double left = capacity == 0 ? 0 : (double) standing.remaining() / capacity;
      most = Math.max(most, 1 - left);
    }
    return most;
  }

  RuleSummary summary() {
    return new RuleSummary(
        rule,
        outcomes.counts(),
        keys == null ? 0 : keys.keys(),
        keys == null ? 0 : keys.keysHit(),
        peakUse,
        LongStream.of(use).boxed().toList(),
        keys == null ? List.of() : keys.most(rule),
        outcomes.timeline());
  }
}
