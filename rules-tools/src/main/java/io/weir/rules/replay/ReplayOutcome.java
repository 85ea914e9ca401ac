package io.weir.rules.replay;

import java.util.Locale;

/** The outcome of a request: exactly one of these. */
public enum ReplayOutcome {
  /** Allowed at once. */
  ALLOWED,
  /** Allowed after a delay. */
  DELAYED,
  /** Allowed; a rule in shadow mode would have refused it. */
  SHADOW_REFUSED,
  /** Refused. */
  REFUSED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
