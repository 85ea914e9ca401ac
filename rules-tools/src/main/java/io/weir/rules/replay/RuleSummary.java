package io.weir.rules.replay;

import io.weir.rules.Policy;
import io.weir.rules.Rule;
import java.util.List;
import java.util.Map;

/**
 * The results of one rule.
 *
 * <p>A rule in shadow mode is checked when the enforced ones allow, and its refusals are {@link
 * ReplayOutcome#SHADOW_REFUSED}. If several rules refuse a request, it counts for each.
 *
 * @param replayOutcomes how many requests by the decision of this rule alone
 * @param keys how many distinct keys it had
 * @param keysRefused how many of them it refused at least once
 * @param peakUse the highest used share of a limit, from 0 to 1
 * @param use the used share of the limit after each decision: {@link #USE_STEPS} counts, the first
 *     for less than 5 %, the last for 95 % and more
 * @param mostRefused the keys that it refused most often, at most {@link #MAX_KEYS}, highest first
 * @param outcomeSeries its outcomes over time
 */
public record RuleSummary(
    Rule rule,
    Map<ReplayOutcome, Long> replayOutcomes,
    long keys,
    long keysRefused,
    double peakUse,
    List<Long> use,
    List<KeyCount> mostRefused,
    OutcomeSeries outcomeSeries) {
  /** The number of counts in {@link #use}. */
  public static final int USE_STEPS = 20;

  /** The maximum number of keys in the summary. */
  public static final int MAX_KEYS = 50;

  /** Copies the collections. */
  public RuleSummary {
    replayOutcomes = Map.copyOf(replayOutcomes);
    use = List.copyOf(use);
    mostRefused = List.copyOf(mostRefused);
  }

  /** How many requests had {@code replayOutcome}. */
  public long count(ReplayOutcome replayOutcome) {
    return replayOutcomes.getOrDefault(replayOutcome, 0L);
  }

  /** How many requests it applied to. */
  public long requests() {
    return replayOutcomes.values().stream().mapToLong(Long::longValue).sum();
  }

  /** How many requests it refused, or would have refused outside shadow mode. */
  public long refused() {
    return count(ReplayOutcome.REFUSED) + count(ReplayOutcome.SHADOW_REFUSED);
  }

  /** The share of its requests that it refused, from 0 to 1; 0 without requests. */
  public double refusedShare() {
    return requests() == 0 ? 0 : (double) refused() / requests();
  }

  /** Whether it applied to no request at all. */
  public boolean neverFired() {
    return requests() == 0;
  }

  /** Whether it is in shadow mode. */
  public boolean isShadow() {
    return rule.policy().mode() == Policy.Mode.SHADOW;
  }
}
