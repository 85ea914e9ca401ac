package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.tck.model.ObservedDecision;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The models themselves: however limits alternate, no interval has more than the largest of them
 * gives.
 */
class MixedLimitsTest {
  private static final int STEPS = 400;
  private static final int DRAWN = 25;
  private static final long MILLI = 1_000_000; // at whole milliseconds no tick is rounded
  private static final Duration MAX_PERIOD = Duration.ofDays(366); // as a clock of nanoseconds goes

  @TestFactory
  Stream<DynamicTest> nodesTogetherGrantNoMoreThanTheLargestLimit() {
    return MixedLimits.all().stream()
        .map(
            mixed ->
                DynamicTest.dynamicTest(
                    mixed.name(),
                    () -> {
                      for (long seed = 0; seed < 3; seed++) {
                        nodes(mixed, new SplittableRandom(seed), 1);
                      }
                    }));
  }

  private static void nodes(MixedLimits mixed, SplittableRandom random, long unit) {
    List<ReferenceLimiter> nodes = new ArrayList<>();
    ReferenceLimiter first =
        new ReferenceLimiter(mixed.limits().subList(0, 1), Takeover.WHEN_WRITTEN);
    mixed.limits().forEach(limit -> nodes.add(first.beside(List.of(limit))));
    hammer(mixed, random, unit, nanos -> nodes.get(random.nextInt(nodes.size())));
  }

  @TestFactory
  Stream<DynamicTest> changesInMemoryGrantNoMoreThanTheLargestLimit() {
    return MixedLimits.all().stream()
        .map(
            mixed ->
                DynamicTest.dynamicTest(
                    mixed.name(),
                    () -> {
                      for (long seed = 0; seed < 3; seed++) {
                        changes(mixed, new SplittableRandom(seed), 1);
                      }
                    }));
  }

  private static void changes(MixedLimits mixed, SplittableRandom random, long unit) {
    ReferenceLimiter limiter = new ReferenceLimiter(mixed.limits().subList(0, 1));
    hammer(
        mixed,
        random,
        unit,
        nanos -> {
          if (random.nextInt(6) == 0) {
            int which = random.nextInt(mixed.limits().size());
            limiter.reconfigure(
                mixed.limits().subList(which, which + 1), ReferenceLimiter.nanos(nanos));
          }
          return limiter;
        });
  }

  /** The limiter that decides at a time. */
  @FunctionalInterface
  private interface Choice {
    ReferenceLimiter at(long nanos);
  }

  private static void hammer(MixedLimits mixed, SplittableRandom random, long unit, Choice choice) {
    long nanos = Harness.MIDNIGHT;
    long period = mixed.period().toNanos();
    List<AlgorithmBounds.Grant> grants = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      if (random.nextInt(3) == 0) {
        long step = random.nextLong(period / (random.nextInt(4) == 0 ? 1 : 20));
        nanos += step - step % unit;
      }
      long cost = random.nextInt(3) == 0 ? random.nextLong(1, mixed.largest().capacity() + 1) : 1;
      ReferenceLimiter limiter = choice.at(nanos);
      if (random.nextInt(8) == 0) {
        limiter.peek("key", cost, ReferenceLimiter.nanos(nanos));
        continue;
      }
      ObservedDecision observedDecision = limiter.check("key", cost, ReferenceLimiter.nanos(nanos));
      if (observedDecision.allowed()) {
        grants.add(
            new AlgorithmBounds.Grant(nanos, cost, nanos + observedDecision.delay().toNanos()));
      }
    }
    assertThat(grants).isNotEmpty();
    mixed.verify(grants);
  }

  /** Three limits of any size, rate and period that share their buckets. */
  @TestFactory
  Stream<DynamicTest> limitsOfTheWholeRangeTogetherGrantNoMoreThanTheLargest() {
    return LongStream.range(0, DRAWN * Long.getLong("weir.tck.runs", 1))
        .mapToObj(
            seed ->
                DynamicTest.dynamicTest(
                    "seed " + seed,
                    () -> {
                      MixedLimits mixed = drawn(new InputGenerator(seed));
                      nodes(mixed, new SplittableRandom(seed), MILLI);
                      changes(mixed, new SplittableRandom(seed), MILLI);
                    }));
  }

  /**
   * Windows of a calendar have edges that the bound does not know, and turns in a queue of another
   * tick are rounded to that.
   */
  private static MixedLimits drawn(InputGenerator inputGenerator) {
    List<Limit> limits = new ArrayList<>();
    while (limits.size() < 3) {
      Limit limit =
          limits.isEmpty()
              ? inputGenerator.limits().get(0)
              : inputGenerator.instead(limits.subList(0, 1)).get(0);
      boolean isCalendar =
          limit instanceof Limit.FixedWindow window && window.span() instanceof Limit.Calendar;
      boolean isQueue = limit instanceof Limit.LeakyBucket;
      if (limit.capacity() > 0
          && !isCalendar
          && InputGenerator.periodOf(limit).compareTo(MAX_PERIOD) <= 0
          && limits.stream().allMatch(limit::sharesBucketsWith)
          && limits.stream().allMatch(each -> !isQueue || each.tick().equals(limit.tick()))) {
        limits.add(limit);
      }
    }
    return new MixedLimits(limits.toString(), limits);
  }

  /** The interval of 12 s holds what is granted at its very start and before its very end. */
  @TestFactory
  Stream<DynamicTest> oneInstantHasNoMoreThanTheLargestLimit() {
    return MixedLimits.fortyAndTen().stream()
        .map(
            mixed ->
                DynamicTest.dynamicTest(
                    mixed.name(),
                    () -> {
                      ReferenceLimiter one =
                          new ReferenceLimiter(mixed.limits().subList(0, 1), Takeover.WHEN_WRITTEN);
                      ReferenceLimiter other = one.beside(mixed.limits().subList(1, 2));
                      long granted = 0;
                      for (int i = 0; i < 100; i++) {
                        long millis =
                            Duration.ofNanos(Harness.MIDNIGHT).toMillis(); // the same for all
                        granted += one.check("key", 1, millis).allowed() ? 1 : 0;
                        granted += other.check("key", 1, millis).allowed() ? 1 : 0;
                      }
                      boolean isQueue = mixed.name().startsWith("leaky-bucket, rate");
                      assertThat(granted).isLessThanOrEqualTo(isQueue ? 70 : 40);
                    }));
  }
}
