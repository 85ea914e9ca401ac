package io.weir.server.seeing;

/**
 * Whose bucket of a rule, as it is told to those who only look on.
 *
 * @param id names the caller as long as the process runs, and does not tell who it is
 * @param kept the key, as far as it was kept
 */
public record Key(String id, String kept) {
  private static final int SHORT = 8;
  private static final int SHOWN = 2;

  /** Enough to recognise it by, and not enough to use it: {@code ab…9f}. */
  public String masked() {
    if (kept.isEmpty()) {
      return ""; // one bucket for all
    }
    if (kept.length() < SHORT) {
      return "…" + id.substring(0, 4);
    }
    String end = isWhole() ? kept.substring(kept.length() - SHOWN) : "";
    return kept.substring(0, SHOWN) + "…" + end;
  }

  /** All of it; of a key that is too long, the beginning and an ellipsis. */
  public String revealed() {
    return LongKeys.known(kept);
  }

  /** Whether all of it was kept, so that it can be looked up by it. */
  public boolean isWhole() {
    return !LongKeys.isCut(kept);
  }
}
