package io.weir.decision;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The outcomes that rules may still produce. Their counters are exported at zero from the start:
 * Prometheus does not see the first value of a series as an increase. Otherwise an outage that ends
 * before the next scrape would trigger no alert.
 */
public final class ZeroSeries {
  /** Expects no outcomes. */
  public static final ZeroSeries NONE = new ZeroSeries();

  private static final Set<RuleOutcome> USUAL = EnumSet.of(RuleOutcome.ALLOWED, RuleOutcome.DENIED);

  private final Map<String, Set<RuleOutcome>> outcomes =
      new HashMap<>(); // beyond the usual outcomes
  private final Map<String, Set<OnFailure>> policies = new HashMap<>();

  private ZeroSeries() {}

  /** From the rules in force. */
  public static ZeroSeries of(DecisionEngine decisionEngine) {
    ZeroSeries found = new ZeroSeries();
    for (Domain domain : decisionEngine.rules().domains()) {
      for (Rule rule : domain.allRules()) {
        String label = decisionEngine.decisionCounters().label(rule, decisionEngine::rules);
        if (label != null) {
          found.add(label, rule);
        }
      }
    }
    return found;
  }

  private void add(String label, Rule rule) {
    if (rule.policy().mode() == Policy.Mode.SHADOW) {
      expect(label, RuleOutcome.SHADOW_DENIED);
    } else if (limits(rule).anyMatch(Limit.LeakyBucket.class::isInstance)) {
      expect(label, RuleOutcome.DELAYED);
    }
    policies
        .computeIfAbsent(label, any -> EnumSet.noneOf(OnFailure.class))
        .add(rule.policy().onFailure());
  }

  private static Stream<Limit> limits(Rule rule) {
    Stream<Limit> others = rule.ruleOverrides().stream().flatMap(each -> each.limits().stream());
    return Stream.concat(rule.limits().stream(), others);
  }

  private void expect(String label, RuleOutcome ruleOutcome) {
    outcomes.computeIfAbsent(label, any -> EnumSet.noneOf(RuleOutcome.class)).add(ruleOutcome);
  }

  /** Whether a rule may have this outcome. */
  public boolean mayCome(String label, RuleOutcome ruleOutcome) {
    return USUAL.contains(ruleOutcome)
        || outcomes.getOrDefault(label, Set.of()).contains(ruleOutcome);
  }

  /** Whether this failure policy may decide for a rule. */
  public boolean mayCome(String label, OnFailure policy) {
    return policies.getOrDefault(label, Set.of()).contains(policy);
  }
}
