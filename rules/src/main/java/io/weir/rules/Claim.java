package io.weir.rules;

/**
 * A charge that a rule wants to make for a request.
 *
 * @param key the key of the bucket: see {@link Verdict}
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
