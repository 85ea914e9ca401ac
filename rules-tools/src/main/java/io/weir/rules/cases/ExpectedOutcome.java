package io.weir.rules.cases;

import java.util.Locale;

/** The possible results of a request. */
public enum ExpectedOutcome {
  /** Allowed. */
  ALLOWED,
  /** Refused. */
  REFUSED,
  /** Rules cannot be applied to it. */
  MALFORMED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
