package io.weir.bench.speed;

import io.weir.bench.contender.CaseLimit;
import io.weir.bench.contender.Contender;
import io.weir.bench.contender.KeyedLimiter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shared state of the benchmarks of one JVM: limiters that are filled once and kept, and the draws
 * of the Zipf traffic. JMH sets its states up anew for each warm-up and each measurement; filling
 * ten million keys each time would take most of the run.
 */
final class Tables {
  /** More than a thread uses while it stays in the caches, and a few megabytes to stream. */
  private static final int DRAWS = 1 << 22;

  private static final Map<CaseLimit, KeyedLimiter> OPEN = new ConcurrentHashMap<>();
  private static final Map<Integer, int[]> ZIPF = new ConcurrentHashMap<>();

  private Tables() {}

  static KeyedLimiter open(Contender contender, CaseLimit caseLimit, int keys) {
    return OPEN.computeIfAbsent(caseLimit, q -> filled(contender.open(q, keys), keys));
  }

  static int[] zipf(int keys, int thread) {
    return ZIPF.computeIfAbsent(
        thread,
        seed -> {
          ZipfDraws zipf = new ZipfDraws(keys, seed);
          int[] draws = new int[DRAWS];
          for (int i = 0; i < draws.length; i++) {
            draws[i] = zipf.key();
          }
          return draws;
        });
  }

  private static KeyedLimiter filled(KeyedLimiter keyedLimiter, int keys) {
    for (int i = 0; i < keys; i++) {
      keyedLimiter.tryAcquire("user-" + i);
    }
    // Moves long-lived objects to their final place, for every contender alike.
    System.gc();
    return keyedLimiter;
  }
}
