package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.redis.EventualSimulation.Use;
import io.weir.tck.AlgorithmBounds;
import io.weir.tck.MixedLimits;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How much too much nodes grant that decide by themselves: no more than the bound in
 * docs/explanation/consistency.md, which is what all but one of them grant in two {@code sync} and
 * two calls.
 */
@Tag("slow")
@Timeout(300)
class EventualAuditTest {
  private static final int SEEDS = 2;
  private static final int CHECKS = 3000;
  private static final int MIXED_CHECKS = 400;

  /** Until a grant has come to Redis, and then until the node that made it has heard what else. */
  private static final long TOLD = EventualSimulation.SYNC + EventualSimulation.CALL;

  /** The same, if one message was lost and repeated. */
  private static final long TOLD_AGAIN = 2 * (EventualSimulation.SYNC + EventualSimulation.CALL);

  /** Limits, also with so many permits more; and how many they grant in a second. */
  record Shape(String name, long perSecond, LongFunction<List<Limit>> limits) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Shape> shapes() {
    Duration two = Duration.ofSeconds(2);
    return Stream.of(
        new Shape("log", 150, more -> List.of(Limit.slidingLog(300 + more).per(two))),
        new Shape(
            "bucket", 150, more -> List.of(Limit.tokenBucket(300).per(two).burst(300 + more))),
        new Shape(
            "deep bucket", 20, more -> List.of(Limit.tokenBucket(40).per(two).burst(400 + more))),
        new Shape(
            "shallow bucket", 3, more -> List.of(Limit.tokenBucket(3).perSecond().burst(3 + more))),
        new Shape("fixed window", 150, more -> List.of(Limit.fixedWindow(300 + more).per(two))),
        // What was too much in a window or an epoch is not remembered in those that come after it.
        new Shape(
            "sliding window", 150, more -> List.of(Limit.slidingWindow(300 + 2 * more).per(two))),
        new Shape(
            "epochs", 150, more -> List.of(Limit.slidingEpochs(300 + 2 * more).per(two).epochs(4))),
        new Shape(
            "two",
            100,
            more ->
                List.of(
                    Limit.slidingLog(200 + more).per(two),
                    Limit.tokenBucket(120).perSecond().burst(150 + more))));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void theOvershootStaysWithinItsBound(Shape shape) {
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(excess(shape, seed, 0, TOLD)).as("seed %d", seed).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void messagesThatAreLostAreRepeatedAndNothingIsForgotten(Shape shape) {
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(excess(shape, seed, 4, TOLD_AGAIN)).as("seed %d", seed).isZero();
    }
  }

  private static long excess(Shape shape, int seed, int oneLostOf, long reportNanos) {
    try (EventualSimulation world =
        new EventualSimulation(shape.limits.apply(0), seed, oneLostOf, false)) {
      world.wander(CHECKS, 2 * shape.perSecond);
      assertThat(world.uses.get("hot")).hasSizeGreaterThan(CHECKS / 4);
      return world.uses.values().stream().mapToLong(uses -> excess(shape, uses, reportNanos)).sum();
    }
  }

  static Stream<MixedLimits> mixedLimits() {
    return MixedLimits.all().stream()
        .filter(mixed -> mixed.limits().stream().allMatch(Consistency.EVENTUAL::isFor));
  }

  /** As in a rolling deploy: each grants as much as by the largest, and so all nodes times that. */
  @ParameterizedTest
  @MethodSource("mixedLimits")
  void eachNodeGrantsNoMoreThanTheLargestOfDifferentLimits(MixedLimits mixed) {
    List<Limit> limits = mixed.limits();
    for (int seed = 0; seed < SEEDS; seed++) {
      try (EventualSimulation world =
          new EventualSimulation(
              node -> List.of(limits.get(node % limits.size())), seed, 0, false)) {
        world.deploy(mixed, MIXED_CHECKS);
        List<Use> uses = world.uses.get("hot");
        assertThat(uses).hasSizeGreaterThan(MIXED_CHECKS / 10);
        for (int node = 0; node < EventualSimulation.NODES; node++) {
          mixed.verify(grants(uses, node));
        }
        assertThat(excess(mixed, uses)).as("seed %d", seed).isZero();
      }
    }
  }

  private static List<AlgorithmBounds.Grant> grants(List<Use> uses, int node) {
    return uses.stream()
        .filter(use -> use.node() == node)
        .map(use -> new AlgorithmBounds.Grant(use.nanos(), use.cost(), use.nanos()))
        .toList();
  }

  /** How many uses one exact limiter with so many permits more would have refused. */
  private static long excess(Shape shape, List<Use> uses, long reportNanos) {
    RateLimiter.Builder builder = RateLimiter.builder();
    shape.limits.apply(bound(uses, reportNanos)).forEach(builder::limit);
    RateLimiter exact = builder.build();
    return uses.stream()
        .filter(
            use ->
                !exact.checkAt("key", use.cost(), use.nanos() / EventualSimulation.MILLI).allowed())
        .count();
  }

  /** The same, with the largest of different limits. */
  private static long excess(MixedLimits mixed, List<Use> uses) {
    long more = 2 * bound(uses, TOLD);
    Limit largest = mixed.largest();
    Limit larger;
    if (largest instanceof Limit.TokenBucket bucket) {
      larger = bucket.burst(bucket.capacity() + more);
    } else if (largest instanceof Limit.FixedWindow) {
      larger = Limit.fixedWindow(largest.permits() + more).per(mixed.period());
    } else if (largest instanceof Limit.SlidingWindow) {
      larger = Limit.slidingWindow(largest.permits() + more).per(mixed.period());
    } else if (largest instanceof Limit.SlidingEpochs epochs) {
      larger =
          Limit.slidingEpochs(largest.permits() + more).per(mixed.period()).epochs(epochs.epochs());
    } else {
      larger = Limit.slidingLog(largest.permits() + more).per(mixed.period());
    }
    return excess(larger, uses);
  }

  private static long excess(Limit limit, List<Use> uses) {
    RateLimiter exact = RateLimiter.builder().limit(limit).build();
    return uses.stream()
        .filter(
            use ->
                !exact.checkAt("key", use.cost(), use.nanos() / EventualSimulation.MILLI).allowed())
        .count();
  }

  private static long bound(List<Use> uses, long reportNanos) {
    long[] byNode =
        LongStream.range(0, EventualSimulation.NODES)
            .map(
                node -> {
                  List<Use> its = uses.stream().filter(use -> use.node() == node).toList();
                  return 2 * maxWithin(its, reportNanos);
                })
            .toArray();
    return LongStream.of(byNode).sum() - LongStream.of(byNode).min().orElse(0);
  }

  private static long maxWithin(List<Use> uses, long nanos) {
    long max = 0;
    long sum = 0;
    int first = 0;
    for (Use use : uses) {
      sum += use.cost();
      while (uses.get(first).nanos() < use.nanos() - nanos) {
        sum -= uses.get(first++).cost();
      }
      max = Math.max(max, sum);
    }
    return max;
  }

  /** They refuse because of each other, and not because of themselves. */
  @ParameterizedTest
  @MethodSource("shapes")
  void nearlyAllThatOneExactLimiterWouldGrantIsGranted(Shape shape) {
    try (EventualSimulation world = new EventualSimulation(shape.limits.apply(0), 0, 0, false)) {
      world.check(CHECKS, 3 * shape.perSecond);
      assertThat(world.uses.get("hot")).hasSizeGreaterThan(CHECKS / 3 * 9 / 10);
    }
  }

  /** The audit itself: it notices what it is there to notice. */
  @ParameterizedTest
  @MethodSource("shapes")
  void auditFindsNodesThatIgnoreOthers(Shape shape) {
    try (EventualSimulation world = new EventualSimulation(shape.limits.apply(0), 0, 0, true)) {
      world.check(CHECKS, 3 * shape.perSecond);
      assertThat(excess(shape, world.uses.get("hot"), TOLD)).isPositive();
    }
  }
}
