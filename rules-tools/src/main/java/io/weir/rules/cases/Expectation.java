package io.weir.rules.cases;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The expected result of a step. Empty parts are not checked.
 *
 * @param each the result of each of its requests
 * @param counts how many requests have which result
 * @param rule the name of the rule that decides the last request
 * @param key that rule's key
 * @param remaining the remaining permits after the last request
 * @param retryAfter how long the last request has to wait
 * @param delay how long the last request is delayed
 */
public record Expectation(
    Optional<ExpectedOutcome> each,
    Map<ExpectedOutcome, Long> counts,
    Optional<Decider> rule,
    Optional<String> key,
    Optional<Long> remaining,
    Optional<Wait> retryAfter,
    Optional<Duration> delay) {
  /** Copies the map. */
  public Expectation {
    counts = Map.copyOf(counts);
  }

  /**
   * The deciding rule.
   *
   * @param name empty if no rule must apply
   */
  public record Decider(Optional<String> name) {
    @Override
    public String toString() {
      return name.map(each -> "rule '" + each + "'").orElse("no rule");
    }
  }

  /**
   * How long to wait until a request fits.
   *
   * @param time empty if it never fits
   */
  public record Wait(Optional<Duration> time) {
    @Override
    public String toString() {
      return time.map(DurationText::text).orElse("never");
    }
  }
}
