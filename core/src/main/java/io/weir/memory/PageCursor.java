package io.weir.memory;

/** The position of a walk through all pages of an engine's tables. */
final class PageCursor {
  private final int tables;
  private int table;
  private long prefix;
  private int slot;

  PageCursor(int tables) {
    this.tables = tables;
  }

  boolean isOver() {
    return table == tables;
  }

  /** The current table. */
  int table() {
    return table;
  }

  /** The first hash of the current page. */
  long prefix() {
    return prefix;
  }

  /** The current slot of the page. */
  int slot() {
    return slot;
  }

  /** Moves to a slot of the same page. */
  void toSlot(int next) {
    slot = next;
  }

  /** Moves beyond a page, to the next one or to the next table. */
  void beyond(int depth, long prefixOfPage) {
    slot = 0;
    prefix = depth == 0 ? 0 : prefixOfPage + (1L << 64 - depth);
    if (prefix == 0) {
      table++;
    }
  }
}
