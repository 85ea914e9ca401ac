package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.tck.model.Answer;
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
  default Stream<DynamicTest> answersAcrossReloadsEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(150),
        draw -> {
          MixedLimits mixed = draw.of(reloaded(MixedLimits.all()));
          harness().setNanos(draw.originNanos(harness()));
          Duel duel = new Duel(harness(), mixed.limits().subList(0, 1));
          List<Duel.Place> places = new ArrayList<>();
          Answer last = duel.check("key-0", 1);
          for (int i = 0; i < 120; i++) {
            advance(mixed, draw, last);
            String key = draw.oneIn(4) ? "key-1" : "key-0";
            long cost = cost(mixed, draw);
            switch ((int) draw.between(0, 15)) {
              case 0, 1 -> duel.reconfigure(List.of(draw.of(mixed.limits())));
              case 2 ->
                  places.add(
                      duel.reserve(
                          key, cost, draw.oneIn(2) ? mixed.period() : Duration.ofHours(1)));
              case 3 -> {
                if (!places.isEmpty()) {
                  Duel.Place place = places.remove((int) draw.between(0, places.size() - 1));
                  place.settle(draw.oneIn(2) ? 0 : cost(mixed, draw));
                }
              }
              case 4 -> {
                if (draw.oneIn(3)) {
                  duel.refund(key, cost);
                }
              }
              case 5, 6 -> duel.peek(key, cost);
              default -> last = duel.check(key, cost);
            }
            duel.peek(key, 1);
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
        draw -> {
          MixedLimits mixed = draw.of(reloaded(MixedLimits.all()));
          harness().setNanos(Harness.MIDNIGHT);
          RateLimiter limiter = harness().limiter(mixed.limits().get(0));
          List<Bounds.Grant> grants = new ArrayList<>();
          Answer last = Answer.of(limiter.peek("key"));
          boolean refunds = !(mixed.largest() instanceof Limit.LeakyBucket) && draw.oneIn(2);
          for (int i = 0; i < 120; i++) {
            advance(mixed, draw, last);
            if (draw.oneIn(5)) {
              limiter.reconfigure(draw.of(mixed.limits()));
            }
            long cost = cost(mixed, draw);
            if (refunds && draw.oneIn(15)) {
              limiter.refund("key", cost);
              grants.add(new Bounds.Grant(harness().epochNanos(), -cost, harness().epochNanos()));
            }
            boolean peeks = draw.oneIn(6);
            last = Answer.of(peeks ? limiter.peek("key") : limiter.check("key", cost));
            if (last.allowed() && !peeks) {
              long now = harness().epochNanos();
              grants.add(new Bounds.Grant(now, cost, now + last.delay().toNanos()));
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
                      Duel duel = new Duel(harness(), List.of(change.before()));
                      duel.check("returned", 30);
                      duel.check("slowed", 30);
                      duel.reconfigure(List.of(change.nothing()));
                      assertThat(duel.check("returned", 1).neverFits()).isTrue();
                      assertThat(duel.peek("slowed", 0).remaining()).isZero();
                      duel.reconfigure(List.of(change.before()));
                      assertThat(duel.check("returned", 11).allowed()).isFalse();
                      assertThat(duel.check("returned", 10).allowed()).isTrue();
                      duel.reconfigure(List.of(change.nothing()));
                      duel.reconfigure(List.of(change.slower()));
                      boolean isTime = change.before() instanceof Limit.LeakyBucket;
                      assertThat(duel.check("slowed", 11).allowed()).isEqualTo(isTime);
                      duel.peek("returned", 1);
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
    Duel duel = new Duel(harness(), List.of(Limit.slidingLog(40).per(period)));
    duel.check("key", 14);
    harness().advance(period.minusMillis(1));
    duel.check("key", 14);
    duel.reconfigure(List.of(Limit.slidingLog(15).per(period)));
    harness().advance(Duration.ofMillis(1));
    duel.reconfigure(List.of(Limit.slidingLog(10).per(period).countingRejected()));
    for (int i = 0; i < 4; i++) {
      harness().advance(Duration.ofMillis(1));
      assertThat(duel.check("key", 10).allowed()).isFalse();
    }
  }

  private List<MixedLimits> reloaded(List<MixedLimits> all) {
    return all.stream().filter(this::reloadsLikeTheModel).toList();
  }

  private void advance(MixedLimits mixed, Draw draw, Answer last) {
    long period = mixed.period().toNanos();
    long longest = 4 * period;
    if (draw.oneIn(2)) {
      return;
    }
    if (draw.oneIn(4) && last.retryAfter().isPresent()) {
      long wait = last.retryAfter().get().toNanos() - draw.between(0, 1) * 1_000_000;
      harness().advance(Duration.ofNanos(Math.max(0, Math.min(longest, wait))));
    } else {
      long most = draw.oneIn(6) ? period : draw.oneIn(10) ? longest : period / 20;
      harness().advance(Duration.ofNanos(draw.between(0, most)));
    }
  }

  private static long cost(MixedLimits mixed, Draw draw) {
    Limit limit = draw.of(mixed.limits());
    return draw.oneIn(2) ? 1 : draw.oneIn(3) ? limit.capacity() : draw.between(1, limit.capacity());
  }
}
