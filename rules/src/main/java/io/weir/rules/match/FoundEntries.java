package io.weir.rules.match;

import java.util.Arrays;

/** The orders of the entries found so far by a lookup. */
final class FoundEntries {
  private int[] orders = new int[8];
  private int count;
  private boolean isSettled = true;

  void add(int order) {
    if (count == orders.length) {
      orders = Arrays.copyOf(orders, count * 2);
    }
    isSettled &= count == 0 || orders[count - 1] < order;
    orders[count++] = order;
  }

  /** Sorts them, removes duplicates, and returns their number. */
  int settle() {
    if (!isSettled) {
      Arrays.sort(orders, 0, count);
      int kept = 1;
      for (int i = 1; i < count; i++) {
        if (orders[i] != orders[i - 1]) {
          orders[kept++] = orders[i];
        }
      }
      count = kept;
      isSettled = true;
    }
    return count;
  }

  int get(int i) {
    return orders[i];
  }
}
