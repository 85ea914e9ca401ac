package io.weir.bench.speed;

import io.weir.bench.contender.Contender;
import io.weir.bench.contender.Gate;
import io.weir.bench.contender.Quota;
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

  private static final Map<Quota, Gate> OPEN = new ConcurrentHashMap<>();
  private static final Map<Integer, int[]> ZIPF = new ConcurrentHashMap<>();

  private Tables() {}

  static Gate open(Contender contender, Quota quota, int keys) {
    return OPEN.computeIfAbsent(quota, q -> filled(contender.open(q, keys), keys));
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

  private static Gate filled(Gate gate, int keys) {
    for (int i = 0; i < keys; i++) {
      gate.tryAcquire("user-" + i);
    }
    // Moves long-lived objects to their final place, for every contender alike.
    System.gc();
    return gate;
  }
}
