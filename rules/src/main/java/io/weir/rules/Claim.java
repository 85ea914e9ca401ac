package io.weir.rules;

/**
 * A charge that a rule wants to make for a request.
 *
 * @param key the key of the bucket: see {@link RuleDecision}
 * @param cost how many permits
 */
public record Claim(LimitGroup limitGroup, String key, long cost) {
  /** The rule. */
  public Rule rule() {
    return limitGroup.rule();
  }

  public boolean isEnforced() {
    return rule().policy().mode() == Policy.Mode.ENFORCE;
  }
}
