package io.weir.rules;

import io.weir.Decision;

/**
 * The decision of one rule on one request.
 *
 * @param meter its limits, or those of one of its overrides
 * @param key the key of the bucket: the values of {@code per} joined by {@code |}, where {@code |}
 *     and {@code \} in them are escaped by {@code \}; empty without {@code per}
 */
public record Verdict(Meter meter, String key, Decision decision) {
  /** A verdict by the rule's own limits. */
  public static Verdict of(Rule rule, String key, Decision decision) {
    return new Verdict(Meter.of(rule), key, decision);
  }

  /** The rule. */
  public Rule rule() {
    return meter.rule();
  }
}
