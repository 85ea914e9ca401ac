package io.weir.arbiter;

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
public final class Prospects {
  /** Expects no outcomes. */
  public static final Prospects NONE = new Prospects();

  private static final Set<Outcome> USUAL = EnumSet.of(Outcome.ALLOWED, Outcome.DENIED);

  private final Map<String, Set<Outcome>> outcomes = new HashMap<>(); // beyond the usual outcomes
  private final Map<String, Set<OnFailure>> policies = new HashMap<>();

  private Prospects() {}

  /** From the rules in force. */
  public static Prospects of(Arbiter arbiter) {
    Prospects found = new Prospects();
    for (Domain domain : arbiter.rules().domains()) {
      for (Rule rule : domain.allRules()) {
        String label = arbiter.tally().label(rule, arbiter::rules);
        if (label != null) {
          found.add(label, rule);
        }
      }
    }
    return found;
  }

  private void add(String label, Rule rule) {
    if (rule.policy().mode() == Policy.Mode.SHADOW) {
      foresee(label, Outcome.SHADOW_DENIED);
    } else if (limits(rule).anyMatch(Limit.LeakyBucket.class::isInstance)) {
      foresee(label, Outcome.DELAYED);
    }
    policies
        .computeIfAbsent(label, any -> EnumSet.noneOf(OnFailure.class))
        .add(rule.policy().onFailure());
  }

  private static Stream<Limit> limits(Rule rule) {
    Stream<Limit> others = rule.variants().stream().flatMap(each -> each.limits().stream());
    return Stream.concat(rule.limits().stream(), others);
  }

  private void foresee(String label, Outcome outcome) {
    outcomes.computeIfAbsent(label, any -> EnumSet.noneOf(Outcome.class)).add(outcome);
  }

  /** Whether a rule may have this outcome. */
  public boolean mayCome(String label, Outcome outcome) {
    return USUAL.contains(outcome) || outcomes.getOrDefault(label, Set.of()).contains(outcome);
  }

  /** Whether this failure policy may decide for a rule. */
  public boolean mayCome(String label, OnFailure policy) {
    return policies.getOrDefault(label, Set.of()).contains(policy);
  }
}
