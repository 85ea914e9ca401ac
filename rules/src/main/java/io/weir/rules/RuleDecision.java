package io.weir.rules;

import io.weir.Decision;

/**
 * The decision of one rule on one request.
 *
 * @param limitGroup its limits, or those of one of its overrides
 * @param key the key of the bucket: the values of {@code per} joined by {@code |}, where {@code |}
 *     and {@code \} in them are escaped by {@code \}; empty without {@code per}
 */
public record RuleDecision(LimitGroup limitGroup, String key, Decision decision) {
  /** A decision by the rule's own limits. */
  public static RuleDecision of(Rule rule, String key, Decision decision) {
    return new RuleDecision(LimitGroup.of(rule), key, decision);
  }

  /** The rule. */
  public Rule rule() {
    return limitGroup.rule();
  }
}
