package io.weir.client.pace;

import java.util.TreeMap;

/**
 * Requests in flight, and how many of them the server's last response cannot have counted.
 *
 * <p>A server counts a request on arrival and may take long to respond. A request sent a second
 * before a completed one has been counted by then. It is still in flight, but no permit has to be
 * reserved for it.
 */
final class InFlight {
  private static final long OVERTAKEN = 1_000_000_000L;

  private final TreeMap<Long, Integer> uncounted =
      new TreeMap<>((a, b) -> Long.signum(a - b)); // the clock may wrap around
  private int all;
  private int open;

  void sent(long at) {
    all++;
    open++;
    uncounted.merge(at, 1, Integer::sum);
  }

  void ended(long sentAt) {
    all = Math.max(0, all - 1);
    Integer there = uncounted.get(sentAt);
    if (there != null) {
      open--;
      uncounted.compute(sentAt, (at, count) -> count == null || count == 1 ? null : count - 1);
    }
  }

  /** A response to a request sent at {@code sentAt} arrived, so earlier ones are counted. */
  void counted(long sentAt) {
    while (!uncounted.isEmpty() && uncounted.firstKey() - (sentAt - OVERTAKEN) <= 0) {
      open -= uncounted.pollFirstEntry().getValue();
    }
  }

  int all() {
    return all;
  }

  int uncounted() {
    return open;
  }

  /** When the first uncounted request was sent; {@code now} if all are counted. */
  long since(long now) {
    return uncounted.isEmpty() ? now : uncounted.firstKey();
  }
}
