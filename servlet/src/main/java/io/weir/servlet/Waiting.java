package io.weir.servlet;

/** Where a request waits: for a store elsewhere, and for its turn at a limit that delays. */
public enum Waiting {
  /**
   * In its thread, as an application waits for its database. Everything behind the filter runs as
   * if it were not there. The default.
   */
  THREAD(64),

  /**
   * Without a thread: the request is put aside, and dispatched again when it may go on. Filters
   * that are not mapped for {@code ASYNC} are left out of that dispatch, so all filters must be.
   */
  ASYNC(4096);

  private final int mostHeld;

  Waiting(int mostHeld) {
    this.mostHeld = mostHeld;
  }

  /** How many requests are held for their turn at a time unless something else is set. */
  public int mostHeld() {
    return mostHeld;
  }
}
