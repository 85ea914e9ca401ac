package io.weir.arbiter;

import io.weir.Decision;
import java.util.Locale;

/** What became of a request, as one rule sees it. */
public enum Outcome {
  /** It went, and was charged. */
  ALLOWED,
  /** This rule refused it. */
  DENIED,
  /** This rule would have refused it, but is only tried. */
  SHADOW_DENIED,
  /** It went, but had to wait for its turn. */
  DELAYED;

  public static Outcome of(Decision decision) {
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
