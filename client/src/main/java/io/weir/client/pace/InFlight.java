package io.weir.client.pace;

import java.util.TreeMap;

/**
 * Requests that are under way, and how many of them the server's last word cannot have counted.
 *
 * <p>Servers count a request when it comes, and may take their time to answer it. What was sent a
 * second before one that is answered has been counted by then; it is still under way, but nothing
 * need be held back for it.
 */
final class InFlight {
  private static final long OVERTAKEN = 1_000_000_000L;

  private final TreeMap<Long, Integer> uncounted =
      new TreeMap<>((a, b) -> Long.signum(a - b)); // the clock may be at the end of its range
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

  /** The server spoke of what came before a request sent then. */
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

  /** When the first of those went that were not counted; {@code now} if all were. */
  long since(long now) {
    return uncounted.isEmpty() ? now : uncounted.firstKey();
  }
}
