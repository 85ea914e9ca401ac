package io.weir.rules.cases;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What is expected of a step. What is empty is not looked at.
 *
 * @param each the answer to each of its requests
 * @param counts how many requests get which answer
 * @param rule the name of the rule that decides about the last request
 * @param key that rule's key
 * @param remaining what is left after the last request
 * @param retryAfter how long the last request has to wait
 * @param delay how long the last request is held
 */
public record Expectation(
    Optional<Answer> each,
    Map<Answer, Long> counts,
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
   * The rule that decides.
   *
   * @param name empty if no rule is to apply
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
   * @param time empty if it never does
   */
  public record Wait(Optional<Duration> time) {
    @Override
    public String toString() {
      return time.map(Times::text).orElse("never");
    }
  }
}
