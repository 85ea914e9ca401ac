package io.weir.seeing;

import org.jspecify.annotations.Nullable;

/**
 * Callers by their hashes: at the place that the hash says, or at the next that is free. At most
 * half of the places are taken, so that it is never far, and a caller takes a third of what an
 * entry of a hash map would.
 */
final class HitterTable {
  private static final int FEWEST = 4;

  private @Nullable Hitter[] table = new Hitter[FEWEST];
  private int size;

  /** Null if it is not here. */
  @Nullable Hitter find(long hash) {
    for (int at = home(hash); ; at = next(at)) {
      Hitter each = table[at];
      if (each == null || each.hash() == hash) {
        return each;
      }
    }
  }

  /** Adds one that is not here yet. Its hash must not change meanwhile. */
  void add(Hitter hitter) {
    size++;
    if (2 * size > table.length) {
      resize(2 * table.length);
    }
    put(hitter);
  }

  private void put(Hitter hitter) {
    int at = home(hitter.hash());
    while (table[at] != null) {
      at = next(at);
    }
    table[at] = hitter;
  }

  /** Removes one that is here. Who was pushed on by it moves up, so that nobody looks in vain. */
  void remove(Hitter hitter) {
    int gap = home(hitter.hash());
    while (table[gap] != hitter) {
      gap = next(gap);
    }
    int at = next(gap);
    for (Hitter each = table[at]; each != null; each = table[at]) {
      if (distance(home(each.hash()), at) >= distance(gap, at)) {
        table[gap] = each;
        gap = at;
      }
      at = next(at);
    }
    table[gap] = null;
    size--;
  }

  /** Gives back room that is not needed. */
  void trim() {
    int fitting = Math.max(FEWEST, Integer.highestOneBit(Math.max(1, 2 * size - 1)) << 1);
    if (fitting < table.length) {
      resize(fitting);
    }
  }

  private void resize(int places) {
    @Nullable Hitter[] before = table;
    table = new Hitter[places];
    for (Hitter each : before) {
      if (each != null) {
        put(each);
      }
    }
  }

  private int home(long hash) {
    return Long.hashCode(hash) & (table.length - 1);
  }

  private int next(int at) {
    return (at + 1) & (table.length - 1);
  }

  /** How many places further on. */
  private int distance(int from, int to) {
    return (to - from) & (table.length - 1);
  }
}
