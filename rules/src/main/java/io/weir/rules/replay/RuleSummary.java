package io.weir.rules.replay;

import io.weir.rules.Policy;
import io.weir.rules.Rule;
import java.util.List;
import java.util.Map;

/**
 * What one rule did.
 *
 * <p>A rule that is only tried is asked when the enforced ones allow, and what it would refuse is
 * {@link Outcome#SHADOW_REFUSED}. Where several rules refuse a request, it counts for each.
 *
 * @param outcomes how many requests by what this rule alone said to them
 * @param keys how many distinct keys it met
 * @param keysRefused how many of them it refused at least once
 * @param peakUse the most of a limit that was ever in use, from 0 to 1
 * @param use how much of the limit was in use after each decision: {@link #USE_STEPS} counts, of
 *     which the first is for less than 5 %, the last for 95 % to all
 * @param mostRefused the keys that it refused most often, at most {@link #MOST_KEYS}, worst first
 * @param timeline its outcomes over time
 */
public record RuleSummary(
    Rule rule,
    Map<Outcome, Long> outcomes,
    long keys,
    long keysRefused,
    double peakUse,
    List<Long> use,
    List<KeyCount> mostRefused,
    Timeline timeline) {
  /** How many counts {@link #use} has. */
  public static final int USE_STEPS = 20;

  /** The most keys that are named. */
  public static final int MOST_KEYS = 50;

  /** Copies the collections. */
  public RuleSummary {
    outcomes = Map.copyOf(outcomes);
    use = List.copyOf(use);
    mostRefused = List.copyOf(mostRefused);
  }

  /** How many requests had {@code outcome}. */
  public long count(Outcome outcome) {
    return outcomes.getOrDefault(outcome, 0L);
  }

  /** How many requests it applied to. */
  public long requests() {
    return outcomes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many requests it refused, or would have refused if it were not only tried. */
  public long refused() {
    return count(Outcome.REFUSED) + count(Outcome.SHADOW_REFUSED);
  }

  /** The share of its requests that it refused, from 0 to 1; 0 without requests. */
  public double refusedShare() {
    return requests() == 0 ? 0 : (double) refused() / requests();
  }

  /** Whether it applied to no request at all. */
  public boolean neverFired() {
    return requests() == 0;
  }

  /** Whether it is only tried. */
  public boolean isShadow() {
    return rule.policy().mode() == Policy.Mode.SHADOW;
  }
}
