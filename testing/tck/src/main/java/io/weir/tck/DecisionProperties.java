package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Properties of decisions, tested on the store alone without a model. */
interface DecisionProperties extends StoreTests {
  /** After exactly {@code retryAfter} the request fits, and not one tick earlier. */
  @TestFactory
  default Stream<DynamicTest> aRetryAfterRetryAfterSucceedsAndOneTickEarlierFails() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(60),
        inputGenerator -> {
          for (int round = 0; round < 5; round++) {
            Traffic traffic = new Traffic(harness(), inputGenerator, inputGenerator.limits());
            RateLimiter limiter = harness().limiter(traffic.limits());
            for (int i = 0; i < 30; i++) {
              traffic.step();
              long cost = inputGenerator.cost(List.of(traffic.limits()));
              Decision decision = limiter.check("key", cost);
              if (!decision.allowed() && !decision.neverFits()) {
                retry(limiter, decision);
                break;
              }
            }
          }
        });
  }

  private void retry(RateLimiter limiter, Decision refusal) {
    Duration wait = refusal.retryAfter().orElseThrow();
    if (wait.compareTo(Limit.MAX_PERIOD) > 0) {
      return; // Two windows of half a century exceed what a limiter can represent.
    }
    Duration tick = refusal.limit().tick();
    harness().advance(wait.minus(tick));
    assertThat(limiter.peek("key", refusal.cost()).allowed())
        .as("%s: one tick before", refusal)
        .isFalse();
    harness().advance(tick);
    assertThat(limiter.check("key", refusal.cost()).allowed()).as("%s: then", refusal).isTrue();
  }

  /** Two limiters, one of which refuses many requests in between, give the same decisions. */
  @TestFactory
  default Stream<DynamicTest> aRefusalWritesNothing() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(60),
        inputGenerator -> {
          Traffic traffic = new Traffic(harness(), inputGenerator, inputGenerator.limits());
          RateLimiter pestered = harness().limiter(traffic.limits());
          RateLimiter quiet = harness().limiter(traffic.limits());
          boolean counted = traffic.countsRejected();
          for (int i = 0; i < 40; i++) {
            traffic.step();
            long cost = inputGenerator.cost(List.of(traffic.limits()));
            Decision peeked = pestered.peek("key", cost);
            if (peeked.allowed()) {
              assertThat(pestered.tryAcquire("key", cost)).isTrue();
              assertThat(quiet.tryAcquire("key", cost)).isTrue();
            } else if (!counted || peeked.neverFits()) {
              assertThat(pestered.tryAcquire("key", cost)).isFalse();
              assertThat(pestered.check("key", cost).allowed()).isFalse();
            }
            assertThat(pestered.reserve("key", Long.MAX_VALUE, Limit.MAX_PERIOD).granted())
                .isFalse();
            assertThat(ObservedDecision.of(pestered.peek("key", cost)))
                .as("%s after %d steps", List.of(traffic.limits()), i)
                .isEqualTo(ObservedDecision.of(quiet.peek("key", cost)));
          }
        });
  }

  /** Two limiters, one of which takes and cancels in between, give the same decisions. */
  @TestFactory
  default Stream<DynamicTest> aCancelledChargeAtOnceLeavesNothing() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(60),
        inputGenerator -> {
          Traffic traffic = new Traffic(harness(), inputGenerator, inputGenerator.limits());
          RateLimiter undecided = harness().limiter(traffic.limits());
          RateLimiter steady = harness().limiter(traffic.limits());
          boolean counted = traffic.countsRejected();
          for (int i = 0; i < 40; i++) {
            traffic.step();
            long cost = inputGenerator.cost(List.of(traffic.limits()));
            Reservation reservation = undecided.reserve("key", cost, Duration.ZERO);
            boolean full = undecided.peek("key", 1).remaining() == 0;
            reservation.cancel();
            reservation.cancel();
            if (counted && full && reservation.granted()) {
              return; // Where refusals count, a log that may have been cut gives nothing back.
            }
            assertThat(ObservedDecision.of(undecided.peek("key", cost)))
                .as("%s after %d steps", List.of(traffic.limits()), i)
                .isEqualTo(ObservedDecision.of(steady.peek("key", cost)));
            long spent = inputGenerator.cost(List.of(traffic.limits()));
            assertThat(undecided.tryAcquire("key", spent))
                .isEqualTo(steady.tryAcquire("key", spent));
          }
        });
  }

  /**
   * A cancelled reservation leaves no more than if never taken, however late it is cancelled and
   * however far ahead it was.
   */
  @TestFactory
  default Stream<DynamicTest> aCancelledReservationNeverLeavesMoreThanIfNeverTaken() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(60),
        inputGenerator -> {
          Traffic traffic = new Traffic(harness(), inputGenerator, inputGenerator.limits());
          for (int round = 0; round < 5; round++) {
            RateLimiter undecided = harness().limiter(traffic.limits());
            RateLimiter steady = harness().limiter(traffic.limits());
            for (int i = 0; i < 5; i++) {
              long cost = inputGenerator.cost(List.of(traffic.limits()));
              assertThat(undecided.tryAcquire("key", cost))
                  .isEqualTo(steady.tryAcquire("key", cost));
              traffic.step();
            }
            Reservation reservation =
                undecided.reserve(
                    "key", inputGenerator.cost(List.of(traffic.limits())), Limit.MAX_PERIOD);
            traffic.step();
            reservation.cancel();
            for (int i = 0; i < 5; i++) {
              assertThat(undecided.peek("key").remaining())
                  .as("%s", reservation)
                  .isLessThanOrEqualTo(steady.peek("key").remaining());
              traffic.step();
            }
          }
        });
  }

  /** A cost above a limit's capacity is reported as never fitting, and no other cost is. */
  @TestFactory
  default Stream<DynamicTest> aCostThatNeverFitsSaysSo() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(30),
        inputGenerator -> {
          Traffic traffic = new Traffic(harness(), inputGenerator, inputGenerator.limits());
          RateLimiter limiter = harness().limiter(traffic.limits());
          long capacity = Long.MAX_VALUE;
          for (Limit limit : traffic.limits()) {
            capacity = Math.min(capacity, limit.capacity());
          }
          for (int i = 0; i < 20; i++) {
            traffic.step();
            long cost =
                inputGenerator.oneIn(2) ? capacity : inputGenerator.cost(List.of(traffic.limits()));
            Decision decision = limiter.check("key", cost);
            assertThat(decision.neverFits()).as("%s", decision).isEqualTo(cost > capacity);
            assertThat(decision.retryAfter().isEmpty()).isEqualTo(cost > capacity);
          }
          Decision tooMuch = limiter.check("key", capacity + 1);
          assertThat(tooMuch.allowed()).isFalse();
          assertThat(tooMuch.neverFits()).isTrue();
          assertThat(tooMuch.limit().capacity()).isEqualTo(capacity);
        });
  }
}
