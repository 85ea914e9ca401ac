package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares two limiters with the same requests, one of which also serves many other keys. Tables
 * grow, shrink and are swept at any moment, without effect on decisions.
 */
interface EvictionProperties extends StoreTests {
  /** How many keys come at once; enough to split the largest page of a table now and then. */
  int CROWD = 3000;

  @TestFactory
  default Stream<DynamicTest> otherKeysDoNotChangeDecisions() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(12),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          Traffic traffic = new Traffic(harness(), inputGenerator, limits);
          RateLimiter alone = harness().limiter(traffic.limits());
          RateLimiter crowded = harness().limiter(traffic.limits());
          List<Reservation[]> places = new ArrayList<>();
          long strangers = 0;
          for (int i = 0; i < 40; i++) {
            traffic.step();
            if (inputGenerator.oneIn(4)) {
              strangers += crowd(inputGenerator, crowded, strangers);
            }
            String key = "key-" + inputGenerator.between(0, 3);
            long cost = inputGenerator.cost(limits);
            switch ((int) inputGenerator.between(0, 7)) {
              case 0 ->
                  places.add(
                      new Reservation[] {
                        alone.reserve(key, cost, Limit.MAX_PERIOD),
                        crowded.reserve(key, cost, Limit.MAX_PERIOD)
                      });
              case 1 -> {
                for (Reservation place : places.isEmpty() ? new Reservation[0] : places.remove(0)) {
                  place.cancel();
                }
              }
              case 2 -> {
                alone.reset(key);
                crowded.reset(key);
              }
              case 3 -> {
                alone.refund(key, cost);
                crowded.refund(key, cost);
              }
              default -> {}
            }
            assertThat(ObservedDecision.of(crowded.check(key, cost)))
                .as("%s, step %d, %d strangers", limits, i, strangers)
                .isEqualTo(ObservedDecision.of(alone.check(key, cost)));
          }
        });
  }

  private long sizeOfCrowd(InputGenerator inputGenerator) {
    return inputGenerator.between(1, inputGenerator.oneIn(3) ? runs(CROWD) : 50);
  }

  /** Other keys, with some time between them. */
  private long crowd(InputGenerator inputGenerator, RateLimiter limiter, long known) {
    long strangers = sizeOfCrowd(inputGenerator);
    for (long stranger = 0; stranger < strangers; stranger++) {
      limiter.tryAcquire("stranger-" + inputGenerator.between(0, known + stranger));
      if (stranger % 16 == 0 && inputGenerator.oneIn(2)) {
        harness().advance(Duration.ofMillis(1));
      }
    }
    return strangers;
  }

  /** Other keys with times decades before and after, and some by the clock. */
  @TestFactory
  default Stream<DynamicTest> otherKeysAtOtherTimesDoNotChangeDecisions() {
    needs(Harness.Ability.CALLER_TIME);
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(12),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          RateLimiter alone = harness().limiter(limits.toArray(Limit[]::new));
          RateLimiter crowded = harness().limiter(limits.toArray(Limit[]::new));
          long years = Duration.ofDays(3653).toMillis();
          TimeWalk timeWalk = new TimeWalk(inputGenerator, limits).withinDecades(1);
          int strangers = 0;
          alone.checkAt("key-0", 0, 0);
          crowded.checkAt("key-0", 0, 0);
          harness().setNanos(Duration.ofDays(2 * 3653).toNanos());
          for (int i = 0; i < 40; i++) {
            timeWalk.step();
            long now = timeWalk.elapsedNanos() / 1_000_000;
            if (inputGenerator.oneIn(4)) {
              long more = sizeOfCrowd(inputGenerator);
              for (int stranger = 0; stranger < more; stranger++) {
                crowded.allow(
                    "stranger-" + strangers++, now + inputGenerator.between(-years, 2 * years));
                if (stranger % 16 == 0) {
                  harness().advance(Duration.ofMillis(1));
                  crowded.tryAcquire("late-" + strangers);
                }
              }
            }
            String key = "key-" + inputGenerator.between(0, 3);
            long cost = inputGenerator.cost(limits);
            assertThat(ObservedDecision.of(crowded.checkAt(key, cost, now)))
                .as("%s, step %d, %d strangers", limits, i, strangers)
                .isEqualTo(ObservedDecision.of(alone.checkAt(key, cost, now)));
          }
        });
  }

  /** A full table decides new keys together: that may refuse too much, never too little. */
  @TestFactory
  default Stream<DynamicTest> aFullTableNeverGrantsTooMuch() {
    needs(Harness.Ability.MANUAL_TIME);
    needs(Harness.Ability.KEY_CAP);
    return Seeds.runs(
        runs(40),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          Traffic traffic = new Traffic(harness(), inputGenerator, limits);
          RateLimiter.Builder builder = harness().builder().maxKeys(inputGenerator.between(1, 4));
          limits.forEach(builder::limit);
          RateLimiter capped = builder.build();
          RateLimiter exact = harness().limiter(traffic.limits());
          for (int i = 0; i < 100; i++) {
            traffic.step();
            String key = "key-" + inputGenerator.between(0, 7);
            long cost = inputGenerator.cost(limits);
            if (capped.tryAcquire(key, cost) && cost > 0) {
              assertThat(exact.tryAcquire(key, cost)).as("%s, step %d", limits, i).isTrue();
            }
          }
        });
  }
}
