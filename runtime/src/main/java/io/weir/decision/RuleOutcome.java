package io.weir.decision;

import io.weir.Decision;
import java.util.Locale;

/** The outcome of a request for one rule. */
public enum RuleOutcome {
  /** Allowed and charged. */
  ALLOWED,
  /** Refused by this rule. */
  DENIED,
  /** This rule is in shadow mode and would have refused the request. */
  SHADOW_DENIED,
  /** Allowed after a delay. */
  DELAYED;

  public static RuleOutcome of(Decision decision) {
    if (!decision.allowed()) {
      return DENIED;
    }
    return decision.delay().isZero() ? ALLOWED : DELAYED;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
