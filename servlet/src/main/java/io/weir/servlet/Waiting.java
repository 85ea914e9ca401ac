package io.weir.servlet;

/** How a request waits for a remote store, or for its turn at a limit that delays. */
public enum Waiting {
  /**
   * Blocks the request's thread, as an application waits for its database. Code behind the filter
   * is unaffected. The default.
   */
  THREAD(64),

  /**
   * Suspends the request without a thread, and dispatches it again when it may go on. Filters not
   * mapped for {@code ASYNC} are left out of that dispatch, so all filters must be.
   */
  ASYNC(4096);

  private final int maxHeld;

  Waiting(int maxHeld) {
    this.maxHeld = maxHeld;
  }

  /** The default for how many requests may be delayed at a time. */
  public int mostHeld() {
    return maxHeld;
  }
}
