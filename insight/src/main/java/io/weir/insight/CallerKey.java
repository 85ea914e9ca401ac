package io.weir.insight;

import io.weir.insight.event.KeyTruncation;

/**
 * The key of a bucket, as shown to read-only viewers.
 *
 * @param id identifies the caller while the process runs, without revealing the key
 * @param kept the key, as far as it was kept
 * @param visibility which parts may be shown
 */
public record CallerKey(String id, String kept, KeyVisibility visibility) {
  /** A key that may be shown only by its ends. */
  CallerKey(String id, String kept) {
    this(id, kept, KeyVisibility.CLOSED);
  }

  /**
   * The key for recognition: addresses and values that cannot be credentials are shown as they are.
   * All others are shown by their ends, {@code ab…9f}, which is not enough to use them; see {@link
   * KeyMask}.
   */
  public String masked() {
    return KeyMask.of(this);
  }

  /**
   * {@link #masked} for a log line: the key is untrusted input and must not add lines to the log.
   */
  public String printed() {
    return masked().replaceAll("[^\\x21-\\x7e…]", "?");
  }

  /** The complete key; if it is too long, its beginning and an ellipsis. */
  public String revealed() {
    return KeyTruncation.known(kept);
  }

  /** Whether the complete key was kept, so that it can be used for a lookup. */
  public boolean isWhole() {
    return !KeyTruncation.isCut(kept);
  }
}
