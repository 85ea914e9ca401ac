package io.weir.seeing;

import java.util.Locale;

/** What callers are ranked by. */
public enum Kind {
  /** How often they were refused, or would have been by a rule that is only tried. */
  THROTTLED,
  /** How often they were allowed with less than a fifth of the limit left. */
  NEAR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
