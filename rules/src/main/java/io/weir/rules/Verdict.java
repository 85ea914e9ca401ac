package io.weir.rules;

import io.weir.Decision;

/**
 * What one rule says to one request.
 *
 * @param meter its limits, or those of one of its overrides
 * @param key whose bucket: the values of {@code per} joined by {@code |}, where {@code |} and
 *     {@code \} in them are escaped by {@code \}; empty without {@code per}
 */
public record Verdict(Meter meter, String key, Decision decision) {
  /** By the rule's own limits. */
  public static Verdict of(Rule rule, String key, Decision decision) {
    return new Verdict(Meter.of(rule), key, decision);
  }

  /** The rule. */
  public Rule rule() {
    return meter.rule();
  }
}
