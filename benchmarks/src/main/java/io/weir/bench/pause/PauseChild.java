package io.weir.bench.pause;

import io.weir.bench.contender.CaseLimit;
import io.weir.bench.contender.Contender;
import io.weir.bench.contender.KeyedLimiter;
import io.weir.bench.fork.ChildOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A JVM that checks ten million keys with one contender, one after the other, and measures each
 * check. The key is built before the clock is read.
 */
final class PauseChild {
  private static final int KEYS = 10_000_000;
  private static final int WARMUP_KEYS = 500_000;
  private static final int BETWEEN_LOOKS = 256;
  private static final Path SCHEDULER = Path.of("/proc/thread-self/schedstat");

  private final Histogram histogram = new Histogram(60_000_000_000L, 3);
  private final SlowChecks slow = new SlowChecks();
  private final boolean hasScheduler = Files.isReadable(SCHEDULER);

  private PauseChild() {}

  /** Arguments: the contender and the file to which the JVM writes its safepoints. */
  public static void main(String[] args) throws IOException {
    Contender contender = Contender.of(args[0]);
    Path log = Path.of(args[1]);
    try (ChildOutput childOutput = new ChildOutput()) {
      // Loads and compiles classes with a separate table, so that the measured one starts empty.
      new PauseChild().fill(contender.open(CaseLimit.MANY, WARMUP_KEYS), WARMUP_KEYS);
      System.gc();
      PauseChild child = new PauseChild();
      child.fill(contender.open(CaseLimit.MANY, KEYS), KEYS);
      child.report(childOutput, Safepoint.read(log));
    }
  }

  private void fill(KeyedLimiter keyedLimiter, int keys) throws IOException {
    long waited = waitedNanos();
    for (int i = 0; i < keys; i++) {
      String key = "user-" + i;
      long start = System.nanoTime();
      keyedLimiter.tryAcquire(key);
      long end = System.nanoTime();
      histogram.recordValue(end - start);
      boolean isSlow = end - start >= SlowChecks.TENTH_OF_A_MILLISECOND;
      if (isSlow || i % BETWEEN_LOOKS == 0) {
        long now = waitedNanos();
        if (isSlow) {
          slow.add(start, end, i, now - waited);
        }
        waited = now;
      }
    }
  }

  /** How long this thread has waited for a processor so far, if the system reports it. */
  private long waitedNanos() throws IOException {
    return hasScheduler ? Long.parseLong(Files.readString(SCHEDULER).split(" ")[1]) : 0;
  }

  private void report(ChildOutput childOutput, List<Safepoint> safepoints) {
    for (double percentile : new double[] {50, 99, 99.9, 99.99, 99.999, 99.9999}) {
      childOutput.say("percentile", percentile, histogram.getValueAtPercentile(percentile));
    }
    childOutput.say("worst", histogram.getMaxValue());
    for (SlowChecks.Cause cause : SlowChecks.Cause.values()) {
      childOutput.say(
          "slow",
          cause,
          slow.count(SlowChecks.TENTH_OF_A_MILLISECOND, safepoints, cause),
          slow.count(SlowChecks.MILLISECOND, safepoints, cause),
          slow.worst(safepoints, cause));
    }
    childOutput.say("worst-at", slow.keysAtWorst(safepoints));
    childOutput.say(
        "safepoints",
        safepoints.size(),
        safepoints.stream().mapToLong(Safepoint::nanos).max().orElse(0));
  }
}
