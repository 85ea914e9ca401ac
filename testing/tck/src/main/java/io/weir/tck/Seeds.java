package io.weir.tck;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Random runs that can be replayed: each is a test of its own, named by its seed.
 *
 * <p>Half of the seeds are fixed, the other half are new each time. {@code -Dweir.tck.seed=42} runs
 * only that seed; {@code -Dweir.tck.runs=100} runs a hundred times as many.
 */
final class Seeds {
  private Seeds() {}

  /** A test of one random run. */
  @FunctionalInterface
  interface Run {
    void with(InputGenerator inputGenerator) throws Exception;
  }

  /** {@code count} runs with fixed seeds, and as many with new ones. */
  static Stream<DynamicTest> runs(int count, Run run) {
    return seeds(count)
        .mapToObj(seed -> DynamicTest.dynamicTest("seed " + seed, () -> once(seed, run)));
  }

  private static LongStream seeds(int count) {
    String replayed = System.getProperty("weir.tck.seed");
    if (replayed != null) {
      return LongStream.of(Long.parseLong(replayed));
    }
    long some = count * Long.getLong("weir.tck.runs", 1);
    SplittableRandom fresh = new SplittableRandom(System.nanoTime());
    return LongStream.concat(LongStream.range(0, some), fresh.longs(some, 0, Long.MAX_VALUE));
  }

  private static void once(long seed, Run run) throws Exception {
    try {
      run.with(new InputGenerator(seed));
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(e.getMessage() + "\nreplay with -Dweir.tck.seed=" + seed, e);
    }
  }
}
