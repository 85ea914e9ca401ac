package io.weir.bench.redis.node;

import java.util.Arrays;

/**
 * When checks were asked, how long each took and whether Redis decided it: what is seen of a Redis
 * that hangs for a while.
 */
final class Timeline {
  /** An answer that did not wait for Redis; one that did waits for a deadline of milliseconds. */
  private static final long AT_ONCE_NANOS = 1_000_000;

  private final long[] asked;
  private final long[] took;
  private final boolean[] decided;

  Timeline(int checks) {
    asked = new long[checks];
    took = new long[checks];
    decided = new boolean[checks];
  }

  void add(int i, long askedAt, long nanos, boolean isDecided) {
    asked[i] = askedAt;
    took[i] = nanos;
    decided[i] = isDecided;
  }

  /**
   * What happened around a hang.
   *
   * @param before how long checks took, in ns, from the first that Redis did not decide to the
   *     moment when the breaker had opened; the 99th percentile
   * @param checksBefore how many those were
   * @param after the same, from then until Redis went on
   * @param checksAfter how many those were
   * @param normal how long after that the last check was asked that Redis did not decide, in ns
   * @param calm the 99th percentile before the hang
   */
  record Hang(long before, int checksBefore, long after, int checksAfter, long normal, long calm) {}

  /** Redis was told to stop no earlier than {@code stop} and to go on no later than {@code go}. */
  Hang hang(long stop, long go) {
    int first = 0;
    while (first < asked.length && (asked[first] - stop < -20_000_000 || decided[first])) {
      first++;
    }
    int open = first;
    while (open < asked.length && (decided[open] || took[open] >= AT_ONCE_NANOS)) {
      open++;
    }
    int resumed = open;
    while (resumed < asked.length && asked[resumed] - go < 0) {
      resumed++;
    }
    long normal = 0;
    for (int i = resumed; i < asked.length; i++) {
      if (!decided[i]) {
        normal = asked[i] - go;
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
