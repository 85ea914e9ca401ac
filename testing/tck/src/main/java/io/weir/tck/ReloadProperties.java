package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Limits that are lowered and raised in use: no spent permit is forgotten, and no expired one is
 * kept.
 */
interface ReloadProperties extends StoreTests {
  /** All operations, between changes from one of the limits to another. */
  @TestFactory
  default Stream<DynamicTest> decisionsAcrossReloadsEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(150),
        inputGenerator -> {
          MixedLimits mixed = inputGenerator.of(reloaded(MixedLimits.all()));
          harness().setNanos(inputGenerator.originNanos(harness()));
          ModelComparison modelComparison =
              new ModelComparison(harness(), mixed.limits().subList(0, 1));
          List<ModelComparison.PairedReservation> pairedReservations = new ArrayList<>();
          ObservedDecision last = modelComparison.check("key-0", 1);
          for (int i = 0; i < 120; i++) {
            advance(mixed, inputGenerator, last);
            String key = inputGenerator.oneIn(4) ? "key-1" : "key-0";
            long cost = cost(mixed, inputGenerator);
            switch ((int) inputGenerator.between(0, 15)) {
              case 0, 1 -> modelComparison.reconfigure(List.of(inputGenerator.of(mixed.limits())));
              case 2 ->
                  pairedReservations.add(
                      modelComparison.reserve(
                          key,
                          cost,
                          inputGenerator.oneIn(2) ? mixed.period() : Duration.ofHours(1)));
              case 3 -> {
                if (!pairedReservations.isEmpty()) {
                  ModelComparison.PairedReservation pairedReservation =
                      pairedReservations.remove(
                          (int) inputGenerator.between(0, pairedReservations.size() - 1));
                  pairedReservation.settle(
                      inputGenerator.oneIn(2) ? 0 : cost(mixed, inputGenerator));
                }
              }
              case 4 -> {
                if (inputGenerator.oneIn(3)) {
                  modelComparison.refund(key, cost);
                }
              }
              case 5, 6 -> modelComparison.peek(key, cost);
              default -> last = modelComparison.check(key, cost);
            }
            modelComparison.peek(key, 1);
          }
        });
  }

  /**
   * Without the model: no interval has more than the largest of the limits grants, plus what was
   * refunded in it. For a queue, a refund moves turns.
   */
  @TestFactory
  default Stream<DynamicTest> reloadsGrantNoMoreThanTheLargestLimit() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(100),
        inputGenerator -> {
          MixedLimits mixed = inputGenerator.of(reloaded(MixedLimits.all()));
          harness().setNanos(Harness.MIDNIGHT);
          RateLimiter limiter = harness().limiter(mixed.limits().get(0));
          List<AlgorithmBounds.Grant> grants = new ArrayList<>();
          ObservedDecision last = ObservedDecision.of(limiter.peek("key"));
          boolean refunds =
              !(mixed.largest() instanceof Limit.LeakyBucket) && inputGenerator.oneIn(2);
          for (int i = 0; i < 120; i++) {
            advance(mixed, inputGenerator, last);
            if (inputGenerator.oneIn(5)) {
              limiter.reconfigure(inputGenerator.of(mixed.limits()));
            }
            long cost = cost(mixed, inputGenerator);
            if (refunds && inputGenerator.oneIn(15)) {
              limiter.refund("key", cost);
              grants.add(
                  new AlgorithmBounds.Grant(harness().epochNanos(), -cost, harness().epochNanos()));
            }
            boolean peeks = inputGenerator.oneIn(6);
            last = ObservedDecision.of(peeks ? limiter.peek("key") : limiter.check("key", cost));
            if (last.allowed() && !peeks) {
              long now = harness().epochNanos();
              grants.add(new AlgorithmBounds.Grant(now, cost, now + last.delay().toNanos()));
            }
          }
          mixed.verify(grants);
        });
  }

  /** The limit is lowered and raised repeatedly while the clock stands still. */
  @TestFactory
  default Stream<DynamicTest> aLimitLoweredAndRaisedHandsOutNothingMore() {
    needs(Harness.Ability.MANUAL_TIME);
    return reloaded(MixedLimits.fortyAndTen()).stream()
        .filter(mixed -> !(mixed.largest() instanceof Limit.LeakyBucket)) // its turns are moments
        .map(mixed -> DynamicTest.dynamicTest(mixed.name(), () -> lowerAndRaise(mixed)));
  }

  private void lowerAndRaise(MixedLimits mixed) {
    RateLimiter limiter = harness().limiter(mixed.limits().get(0));
    long granted = 0;
    for (int i = 0; i < 4; i++) {
      limiter.reconfigure(mixed.limits().get(i % 2));
      while (limiter.tryAcquire("key")) {
        granted++;
      }
      assertThat(limiter.peek("key").remaining()).isZero();
    }
    assertThat(granted).isLessThanOrEqualTo(mixed.largest().capacity());
  }

  /** A limit of no permits applies for a while: spent permits stay spent. */
  @TestFactory
  default Stream<DynamicTest> aLimitOfNothingForgetsNothing() {
    needs(Harness.Ability.MANUAL_TIME);
    Duration hour = Duration.ofHours(1);
    record Change(Limit before, Limit nothing, Limit slower) {}
    return Stream.of(
            new Change(
                Limit.tokenBucket(40).per(hour),
                Limit.tokenBucket(0).per(hour),
                Limit.tokenBucket(10).per(hour).burst(40)),
            new Change(
                Limit.leakyBucket(40).per(hour).queue(39),
                Limit.leakyBucket(0).per(hour),
                Limit.leakyBucket(10).per(hour).queue(39)),
            new Change(
                Limit.fixedWindow(40).per(hour),
                Limit.fixedWindow(0).per(hour),
                Limit.fixedWindow(35).per(hour)),
            new Change(
                Limit.slidingWindow(40).per(hour),
                Limit.slidingWindow(0).per(hour),
                Limit.slidingWindow(35).per(hour)),
            new Change(
                Limit.slidingEpochs(40).per(hour),
                Limit.slidingEpochs(0).per(hour),
                Limit.slidingEpochs(35).per(hour)),
            new Change(
                Limit.slidingLog(40).per(hour),
                Limit.slidingLog(0).per(hour),
                Limit.slidingLog(35).per(hour)))
        .map(
            change ->
                DynamicTest.dynamicTest(
                    change.before().algorithm(),
                    () -> {
                      ModelComparison modelComparison =
                          new ModelComparison(harness(), List.of(change.before()));
                      modelComparison.check("returned", 30);
                      modelComparison.check("slowed", 30);
                      modelComparison.reconfigure(List.of(change.nothing()));
                      assertThat(modelComparison.check("returned", 1).neverFits()).isTrue();
                      assertThat(modelComparison.peek("slowed", 0).remaining()).isZero();
                      modelComparison.reconfigure(List.of(change.before()));
                      assertThat(modelComparison.check("returned", 11).allowed()).isFalse();
                      assertThat(modelComparison.check("returned", 10).allowed()).isTrue();
                      modelComparison.reconfigure(List.of(change.nothing()));
                      modelComparison.reconfigure(List.of(change.slower()));
                      boolean isTime = change.before() instanceof Limit.LeakyBucket;
                      assertThat(modelComparison.check("slowed", 11).allowed()).isEqualTo(isTime);
                      modelComparison.peek("returned", 1);
                    }));
  }

  /**
   * 14 permits of 40 are more than 15 with others that have expired by the second change. A table
   * of the limit in between need not remember the 40 any more: then refusals cut the log to 15.
   */
  @Test
  default void aLargerLimitMayBeForgottenBetweenTwoChanges() {
    needs(Harness.Ability.MANUAL_TIME);
    Duration period = Duration.ofSeconds(12);
    ModelComparison modelComparison =
        new ModelComparison(harness(), List.of(Limit.slidingLog(40).per(period)));
    modelComparison.check("key", 14);
    harness().advance(period.minusMillis(1));
    modelComparison.check("key", 14);
    modelComparison.reconfigure(List.of(Limit.slidingLog(15).per(period)));
    harness().advance(Duration.ofMillis(1));
    modelComparison.reconfigure(List.of(Limit.slidingLog(10).per(period).countingRejected()));
    for (int i = 0; i < 4; i++) {
      harness().advance(Duration.ofMillis(1));
      assertThat(modelComparison.check("key", 10).allowed()).isFalse();
    }
  }

  private List<MixedLimits> reloaded(List<MixedLimits> all) {
    return all.stream().filter(this::reloadsLikeTheModel).toList();
  }

  private void advance(MixedLimits mixed, InputGenerator inputGenerator, ObservedDecision last) {
    long period = mixed.period().toNanos();
    long maxWait = 4 * period;
    if (inputGenerator.oneIn(2)) {
      return;
    }
    if (inputGenerator.oneIn(4) && last.retryAfter().isPresent()) {
      long wait = last.retryAfter().get().toNanos() - inputGenerator.between(0, 1) * 1_000_000;
      harness().advance(Duration.ofNanos(Math.max(0, Math.min(maxWait, wait))));
    } else {
      long max =
          inputGenerator.oneIn(6) ? period : inputGenerator.oneIn(10) ? maxWait : period / 20;
      harness().advance(Duration.ofNanos(inputGenerator.between(0, max)));
    }
  }

  private static long cost(MixedLimits mixed, InputGenerator inputGenerator) {
    Limit limit = inputGenerator.of(mixed.limits());
    return inputGenerator.oneIn(2)
        ? 1
        : inputGenerator.oneIn(3) ? limit.capacity() : inputGenerator.between(1, limit.capacity());
  }
}
