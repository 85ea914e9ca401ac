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
 * What rules may yet come to. Such counters are told of from the start, at zero: to Prometheus the
 * first value of a series is no increase, so an outage that is over by the next scrape would be one
 * that no alert ever sees.
 */
public final class Prospects {
  /** Nothing is foreseen. */
  public static final Prospects NONE = new Prospects();

  private static final Set<Outcome> USUAL = EnumSet.of(Outcome.ALLOWED, Outcome.DENIED);

  private final Map<String, Set<Outcome>> outcomes = new HashMap<>(); // besides the usual
  private final Map<String, Set<OnFailure>> policies = new HashMap<>();

  private Prospects() {}

  /** By the rules in force. */
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

  /** Whether a rule may have such an outcome. */
  public boolean mayCome(String label, Outcome outcome) {
    return USUAL.contains(outcome) || outcomes.getOrDefault(label, Set.of()).contains(outcome);
  }

  /** Whether such a policy may decide for a rule. */
  public boolean mayCome(String label, OnFailure policy) {
    return policies.getOrDefault(label, Set.of()).contains(policy);
  }
}
