package io.weir.insight;

import java.util.Locale;

/** What callers are ranked by. */
public enum RankingKind {
  /** How often they were refused. */
  REFUSED,
  /** How often a rule in shadow mode would have refused them. */
  WOULD_BE_REFUSED,
  /**
   * How often they were allowed with less than a fifth of the limit remaining. Callers that were
   * refused in the same time, or would have been, are excluded.
   */
  NEAR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
