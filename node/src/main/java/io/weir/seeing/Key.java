package io.weir.seeing;

/**
 * Whose bucket of a rule, as it is told to those who only look on.
 *
 * @param id names the caller as long as the process runs, and does not tell who it is
 * @param kept the key, as far as it was kept
 * @param veil what of it may be shown
 */
public record Key(String id, String kept, KeyVeil veil) {
  /** A key of which nothing may be shown but its ends. */
  Key(String id, String kept) {
    this(id, kept, KeyVeil.CLOSED);
  }

  /**
   * Enough to recognise it by: addresses and what no credential can be as they are, all else by its
   * ends, {@code ab…9f}, which is not enough to use it; see {@link Mask}.
   */
  public String masked() {
    return Mask.of(this);
  }

  /** {@link #masked} for a line of a log: the letters are a stranger's, and shall make no lines. */
  public String printed() {
    return masked().replaceAll("[^\\x21-\\x7e…]", "?");
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
