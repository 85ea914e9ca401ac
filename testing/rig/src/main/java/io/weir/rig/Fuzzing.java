package io.weir.rig;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongPredicate;

/**
 * Rounds of a test with random input. Each round has its own seed, which is reported when the round
 * fails or hangs. {@code -Dweir.fuzz.seed} repeats that round first. {@code -Dweir.fuzz.minutes}
 * sets how long the long form runs.
 */
public final class Fuzzing {
  private static final String SEED = "weir.fuzz.seed";

  /** A longer round counts as hanging, even on a busy machine. */
  private static final Duration HANGS = Duration.ofMinutes(5);

  private Fuzzing() {}

  /** One round with a source of randomness; throws if it finds a mistake. */
  public interface Round {
    /** Runs a round. */
    void run(Random random) throws Exception;
  }

  /** The short form: the same rounds every time. */
  public static void rounds(int count, Round round) {
    run(Long.getLong(SEED, 20_240_601), done -> done < count, HANGS, round);
  }

  /** The long form: different rounds every time. */
  public static void minutes(Round round) {
    Duration time = time();
    long start = System.nanoTime();
    run(
        Long.getLong(SEED, start),
        done -> System.nanoTime() - start < time.toNanos(),
        time.plus(HANGS),
        round);
  }

  /** How long the long form runs. */
  static Duration time() {
    return Duration.ofMinutes(Long.getLong("weir.fuzz.minutes", 2));
  }

  /** A random element. */
  public static <T> T pick(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  /** {@code good} with a few bytes removed, changed, repeated or replaced by {@code pieces}. */
  public static byte[] damaged(byte[] good, List<byte[]> pieces, Random random) {
    byte[] bytes = good;
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int from = random.nextInt(bytes.length + 1);
      int to = Math.min(bytes.length, from + random.nextInt(6));
      byte[] piece =
          switch (random.nextInt(4)) {
            case 0 -> new byte[0];
            case 1 -> new byte[] {(byte) random.nextInt(256)};
            case 2 -> pick(pieces, random);
            default -> Arrays.copyOfRange(bytes, random.nextInt(from + 1), from);
          };
      ByteArrayOutputStream spliced = new ByteArrayOutputStream();
      spliced.write(bytes, 0, from);
      spliced.writeBytes(piece);
      spliced.write(bytes, to, bytes.length - to);
      bytes = spliced.toByteArray();
    }
    return bytes;
  }

  private static void run(long first, LongPredicate goesOn, Duration timeout, Round round) {
    AtomicLong seed = new AtomicLong(first);
    AtomicReference<Throwable> mistake = new AtomicReference<>();
    Thread rounds =
        new Thread(
            () -> {
              try {
                for (; goesOn.test(seed.get() - first); seed.incrementAndGet()) {
                  round.run(new Random(seed.get()));
                }
              } catch (Exception | Error e) {
                mistake.set(e);
              }
            },
            "fuzzing");
    rounds.setDaemon(true);
    rounds.start();
    try {
      rounds.join(timeout.toMillis());
    } catch (InterruptedException e) {
      rounds.interrupt();
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted; repeat it with " + option(seed), e);
    }
    if (rounds.isAlive()) {
      AssertionError hangs = new AssertionError("hangs; repeat it with " + option(seed));
      hangs.setStackTrace(rounds.getStackTrace());
      rounds.interrupt();
      throw hangs;
    }
    if (mistake.get() != null) {
      throw new AssertionError("repeat it with " + option(seed), mistake.get());
    }
  }

  private static String option(AtomicLong seed) {
    return "-D" + SEED + "=" + seed;
  }
}
