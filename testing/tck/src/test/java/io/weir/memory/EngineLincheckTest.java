package io.weir.memory;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.algorithm.Timeline;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests, resets, sweeps and changes of limits that overlap in many ways are as good as one after
 * the other, also where a table grows, splits or drops keys meanwhile.
 */
@Tag("slow")
class EngineLincheckTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Moment NOW = Moment.ofNanos(0);

  /** What is true: a count for each key. */
  public static class Counts {
    private final Map<Integer, Integer> counts = new HashMap<>();
    private int capacity = 2;

    public boolean take(int key) {
      int count = counts.getOrDefault(key, 0);
      if (count < capacity) {
        counts.put(key, count + 1);
      }
      return count < capacity;
    }

    public void reset(int key) {
      counts.remove(key);
    }

    public void sweep() {}

    public void raise() {
      capacity = 3;
    }
  }

  /** An engine with some keys in it, so that the next ones make it grow. */
  @Param(name = "key", gen = IntGen.class, conf = "1:4")
  public abstract static class Requests {
    private final TableEngine tableEngine;

    Requests(Limit limit, int present) {
      List<Limit> limits = List.of(limit);
      tableEngine =
          TableEngine.of(
              limits, limits, 1_000_000, TableMemory.SHARED, new Timeline(0), NOW::time, null);
      for (int key = 0; key < present; key++) {
        tableEngine.tryAcquire(hash(100 + key), NOW.time(), false, 1);
      }
    }

    private static long hash(int key) {
      return (key + 1) * 0x9E37_79B9_7F4A_7C15L;
    }

    @Operation
    public boolean take(@Param(name = "key") int key) {
      return tableEngine.tryAcquire(hash(key), NOW.time(), false, 1) == TableEngine.Outcome.ALLOWED;
    }

    @Operation
    public void reset(@Param(name = "key") int key) {
      tableEngine.edit(hash(key), NOW, BucketOperations.reset());
    }

    @Operation
    public void sweep() {
      tableEngine.sweep(NOW.time(), NOW.inMillis());
    }
  }

  /** Four more keys fill a page of words. */
  public static class Words extends Requests {
    public Words() {
      super(Limit.tokenBucket(2).per(HOUR), 4);
    }
  }

  /** Some more keys fill a page that is as large as pages get, which is split. */
  public static class ManyWords extends Requests {
    public ManyWords() {
      super(Limit.fixedWindow(2).per(HOUR), WordTable.LARGEST_PAGE * 82 / 100 - 2);
    }
  }

  /** Records of logs, which move their entries when they grow. */
  public static class Logs extends Requests {
    public Logs() {
      super(Limit.slidingLog(2).per(HOUR), 2);
    }
  }

  /** A page of records that is split when a few more come. */
  public static class ManyLogs extends Requests {
    public ManyLogs() {
      super(Limit.slidingLog(2).per(HOUR), 254);
    }
  }

  /** The limit is raised while keys are checked. */
  @Param(name = "key", gen = IntGen.class, conf = "1:2")
  public abstract static class Changes {
    private final MemoryBuckets buckets;

    Changes(Limit limit) {
      buckets = new MemoryBuckets(blueprint(limit));
      buckets.tryAcquire("key-9", 1);
    }

    private static Store.LimiterSpec blueprint(Limit limit) {
      return new Store.LimiterSpec(
          "lincheck", List.of(limit), List.of(limit), 1000, () -> 0, OnFailure.ALLOW);
    }

    @Operation
    public boolean take(@Param(name = "key") int key) {
      return buckets.tryAcquire("key-" + key, 1);
    }

    void raiseTo(Limit limit) {
      buckets.reconfigure(blueprint(limit)).run();
    }
  }

  public static class ChangesOfWords extends Changes {
    public ChangesOfWords() {
      super(Limit.fixedWindow(2).per(HOUR));
    }

    @Operation
    public void raise() {
      raiseTo(Limit.fixedWindow(3).per(HOUR));
    }
  }

  public static class ChangesOfLogs extends Changes {
    public ChangesOfLogs() {
      super(Limit.slidingLog(2).per(HOUR));
    }

    @Operation
    public void raise() {
      raiseTo(Limit.slidingLog(3).per(HOUR));
    }
  }

  /** How many scenarios to try; more in a soak. */
  int scenarios() {
    return 2;
  }

  private ModelCheckingOptions manyInterleavings() {
    return new ModelCheckingOptions()
        .iterations(scenarios())
        .invocationsPerIteration(50)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(2)
        .sequentialSpecification(Counts.class);
  }

  private StressOptions stress() {
    return new StressOptions()
        .iterations(scenarios())
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(2)
        .sequentialSpecification(Counts.class);
  }

  @Test
  void wordsAreLinearizableInManyInterleavings() {
    manyInterleavings().check(Words.class);
  }

  @Test
  void logsAreLinearizableInManyInterleavings() {
    manyInterleavings().check(Logs.class);
  }

  @Test
  void changesOfLimitsOfWordsAreLinearizable() {
    stress().iterations(3 * scenarios()).invocationsPerIteration(300).check(ChangesOfWords.class);
  }

  @Test
  void changesOfLimitsOfLogsAreLinearizable() {
    stress().iterations(3 * scenarios()).invocationsPerIteration(300).check(ChangesOfLogs.class);
  }

  @Test
  void wordsAreLinearizableWhereAPageSplits() {
    stress().check(ManyWords.class);
  }

  @Test
  void logsAreLinearizableWhereAPageSplits() {
    stress().check(ManyLogs.class);
  }
}
