package io.weir.server.metrics;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Outcome;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What rules may yet come to. Such counters are told of from the start, at zero: to Prometheus the
 * first value of a series is no increase, so an outage that is over by the next scrape would be one
 * that no alert ever sees.
 */
final class Prospects {
  /** Nothing is foreseen. */
  static final Prospects NONE = new Prospects();

  private static final Set<Outcome> USUAL = EnumSet.of(Outcome.ALLOWED, Outcome.DENIED);

  private final Map<String, Set<Outcome>> outcomes = new HashMap<>(); // besides the usual
  private final Map<String, Set<OnFailure>> policies = new HashMap<>();

  private Prospects() {}

  /** By the rules in force. */
  static Prospects of(Arbiter arbiter) {
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
    } else if (rule.limits().stream().anyMatch(Limit.LeakyBucket.class::isInstance)) {
      foresee(label, Outcome.DELAYED);
    }
    policies
        .computeIfAbsent(label, any -> EnumSet.noneOf(OnFailure.class))
        .add(rule.policy().onFailure());
  }

  private void foresee(String label, Outcome outcome) {
    outcomes.computeIfAbsent(label, any -> EnumSet.noneOf(Outcome.class)).add(outcome);
  }

  /** Whether a rule may have such an outcome. */
  boolean mayCome(String label, Outcome outcome) {
    return USUAL.contains(outcome) || outcomes.getOrDefault(label, Set.of()).contains(outcome);
  }

  /** Whether such a policy may decide for a rule. */
  boolean mayCome(String label, OnFailure policy) {
    return policies.getOrDefault(label, Set.of()).contains(policy);
  }
}
