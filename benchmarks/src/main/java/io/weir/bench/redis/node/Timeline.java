package io.weir.bench.redis.node;

import java.util.Arrays;

/**
 * When checks were sent, how long each took and whether Redis decided it: the effects of a
 * suspended Redis.
 */
final class Timeline {
  /** A reply that did not wait for Redis; the others wait for a timeout of milliseconds. */
  private static final long AT_ONCE_NANOS = 1_000_000;

  private final long[] sentAt;
  private final long[] took;
  private final boolean[] decided;

  Timeline(int checks) {
    sentAt = new long[checks];
    took = new long[checks];
    decided = new boolean[checks];
  }

  void add(int i, long at, long nanos, boolean isDecided) {
    sentAt[i] = at;
    took[i] = nanos;
    decided[i] = isDecided;
  }

  /**
   * The times around a suspension.
   *
   * @param before the 99th percentile of check times, in ns, from the first that Redis did not
   *     decide to the opening of the breaker
   * @param checksBefore the number of those checks
   * @param after the same, from then until Redis resumed
   * @param checksAfter the number of those checks
   * @param normal the time from then to the start of the last check that Redis did not decide, in
   *     ns
   * @param calm the 99th percentile before the suspension
   */
  record Hang(long before, int checksBefore, long after, int checksAfter, long normal, long calm) {}

  /** Redis was suspended no earlier than {@code stop} and resumed no later than {@code go}. */
  Hang hang(long stop, long go) {
    int first = 0;
    while (first < sentAt.length && (sentAt[first] - stop < -20_000_000 || decided[first])) {
      first++;
    }
    int open = first;
    while (open < sentAt.length && (decided[open] || took[open] >= AT_ONCE_NANOS)) {
      open++;
    }
    int resumed = open;
    while (resumed < sentAt.length && sentAt[resumed] - go < 0) {
      resumed++;
    }
    long normal = 0;
    for (int i = resumed; i < sentAt.length; i++) {
      if (!decided[i]) {
        normal = sentAt[i] - go;
      }
    }
    return new Hang(
        percentile(first, open),
        open - first,
        percentile(open, resumed),
        resumed - open,
        normal,
        percentile(0, first));
  }

  private long percentile(int from, int to) {
    if (from >= to) {
      return 0;
    }
    long[] sorted = Arrays.copyOfRange(took, from, to);
    Arrays.sort(sorted);
    return sorted[Math.min(sorted.length - 1, (int) (sorted.length * 0.99))];
  }
}
