package io.weir.insight;

import org.jspecify.annotations.Nullable;

/**
 * A hash table of callers with linear probing. At most half of the places are taken, so probes are
 * short. A caller takes a third of the memory of a hash map entry.
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

  /** Adds a caller that is not here yet. Its hash must not change while it is here. */
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

  /**
   * Removes a caller that is here. Callers that it displaced move up, so that probes still find
   * them.
   */
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

  /** Frees unused memory. */
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

  /** How many places {@code to} is after {@code from}, with wrap-around. */
  private int distance(int from, int to) {
    return (to - from) & (table.length - 1);
  }
}
