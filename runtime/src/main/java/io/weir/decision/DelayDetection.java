package io.weir.decision;

import io.weir.Limit;
import io.weir.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * Reports whether rules may delay requests. Only then must a front end remember what was charged,
 * so that a client that stops waiting can give its place back.
 */
public final class DelayDetection {
  private final DecisionEngine decisionEngine;
  private volatile @Nullable Known known;

  /** Follows the rules in force at each call. */
  public DelayDetection(DecisionEngine decisionEngine) {
    this.decisionEngine = decisionEngine;
  }

  /** Whether a rule in force has a limit that delays. */
  @SuppressWarnings("ReferenceEquality") // usually the same rules as before
  public boolean arePossible() {
    RuleSet rules = decisionEngine.rules();
    Known before = known;
    if (before == null || before.rules != rules) {
      before = new Known(rules, delay(rules));
      known = before;
    }
    return before.delay;
  }

  private static boolean delay(RuleSet rules) {
    return rules.limitGroups().stream()
        .flatMap(limitGroup -> limitGroup.limits().stream())
        .anyMatch(Limit.LeakyBucket.class::isInstance);
  }

  private record Known(RuleSet rules, boolean delay) {}
}
