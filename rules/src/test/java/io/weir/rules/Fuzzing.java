package io.weir.rules;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/**
 * Rounds of a test with random input. Each has a seed of its own, which is told where the round
 * fails or hangs: {@code -Dweir.fuzz.seed} repeats it first. {@code -Dweir.fuzz.minutes} sets how
 * long the long form runs.
 */
public final class Fuzzing {
  private static final String SEED = "weir.fuzz.seed";

  /** A round that takes so long hangs, however busy the machine is. */
  private static final Duration HANGS = Duration.ofMinutes(5);

  private Fuzzing() {}

  /** What is done with the randomness of a round; throws if it finds a mistake. */
  public interface Round {
    /** Does a round. */
    void run(Random random) throws Exception;
  }

  /** The short form: always the same rounds. */
  public static void rounds(int count, Round round) {
    run(Long.getLong(SEED, 20_240_601), done -> done < count, HANGS, round);
  }

  /** The long form: other rounds each time. */
  public static void minutes(Round round) {
    Duration time = Duration.ofMinutes(Long.getLong("weir.fuzz.minutes", 2));
    long start = System.nanoTime();
    run(
        Long.getLong(SEED, start),
        done -> System.nanoTime() - start < time.toNanos(),
        time.plus(HANGS),
        round);
  }

  private static void run(long first, LongPredicate goesOn, Duration longest, Round round) {
    AtomicLong seed = new AtomicLong(first);
    assertTimeoutPreemptively(
        longest,
        () -> {
          for (; goesOn.test(seed.get() - first); seed.incrementAndGet()) {
            try {
              round.run(new Random(seed.get()));
            } catch (Exception | Error e) {
              throw new AssertionError("repeat it with " + option(seed), e);
            }
          }
        },
        () -> "hangs; repeat it with " + option(seed));
  }

  private static String option(AtomicLong seed) {
    return "-D" + SEED + "=" + seed;
  }
}
