package io.weir.rules;

/**
 * What a rule that applies to a request wants of its bucket.
 *
 * @param key whose bucket: see {@link Verdict}
 * @param cost how many permits
 */
public record Claim(Meter meter, String key, long cost) {
  /** The rule. */
  public Rule rule() {
    return meter.rule();
  }

  boolean isEnforced() {
    return rule().policy().mode() == Policy.Mode.ENFORCE;
  }
}
