package io.weir.memory;

/** How far a walk through all pages of an engine's tables has come. */
final class Walk {
  private final int tables;
  private int table;
  private long prefix;
  private int slot;

  Walk(int tables) {
    this.tables = tables;
  }

  boolean isOver() {
    return table == tables;
  }

  /** The table that it has come to. */
  int table() {
    return table;
  }

  /** The first hash of the page that it has come to. */
  long prefix() {
    return prefix;
  }

  /** The slot of the page that it has come to. */
  int slot() {
    return slot;
  }

  /** Goes on to a slot of the same page. */
  void toSlot(int next) {
    slot = next;
  }

  /** Goes on beyond a page, to the next one or to the next table. */
  void beyond(int depth, long prefixOfPage) {
    slot = 0;
    prefix = depth == 0 ? 0 : prefixOfPage + (1L << 64 - depth);
    if (prefix == 0) {
      table++;
    }
  }
}
