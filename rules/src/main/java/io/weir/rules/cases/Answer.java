package io.weir.rules.cases;

import java.util.Locale;

/** What can become of a request. */
public enum Answer {
  /** It may go. */
  ALLOWED,
  /** It may not. */
  REFUSED,
  /** It cannot be judged. */
  MALFORMED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
