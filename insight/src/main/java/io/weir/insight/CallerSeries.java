package io.weir.insight;

import io.weir.insight.whatif.Resolution;
import java.util.Arrays;

/** Requests and refusals by slot, over the length of a range. */
final class CallerSeries {
  private final Resolution range;
  private final int[] requests;
  private final int[] refused;
  private long latest = Long.MIN_VALUE / 2;

  CallerSeries(Resolution range) {
    this.range = range;
    this.requests = new int[range.slots()];
    this.refused = new int[range.slots()];
  }

  void add(long second, int count, boolean isRefused) {
    long slot = range.slot(second);
    turnTo(slot);
    int at = at(slot);
    requests[at] = plus(requests[at], count);
    if (isRefused) {
      refused[at] = plus(refused[at], count);
    }
  }

  private static int plus(int sum, int more) {
    return (int) Math.min(Integer.MAX_VALUE, (long) sum + more);
  }

  private void turnTo(long slot) {
    if (slot <= latest) {
      return;
    }
    for (long each = Math.max(latest + 1, slot - requests.length + 1); each <= slot; each++) {
      requests[at(each)] = 0;
      refused[at(each)] = 0;
    }
    latest = slot;
  }

  private int at(long slot) {
    return (int) Math.floorMod(slot, (long) requests.length);
  }

  /** The oldest first; the last slot is that of {@code second}. */
  int[] requests(long second) {
    return inOrder(requests, second);
  }

  int[] refused(long second) {
    return inOrder(refused, second);
  }

  private int[] inOrder(int[] slots, long second) {
    turnTo(range.slot(second));
    int first = at(latest + 1);
    int[] inOrder = Arrays.copyOfRange(slots, first, first + slots.length);
    System.arraycopy(slots, 0, inOrder, slots.length - first, first);
    return inOrder;
  }

  boolean isEmpty(long second) {
    turnTo(range.slot(second));
    for (int each : requests) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }
}
