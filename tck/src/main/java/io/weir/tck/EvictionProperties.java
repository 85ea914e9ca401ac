package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.tck.model.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares two limiters with the same requests, one of which also serves many other keys. Tables
 * grow, shrink and are swept at any moment, without effect on answers.
 */
interface EvictionProperties extends StoreTests {
  /** How many keys come at once; enough to split the largest page of a table now and then. */
  int CROWD = 3000;

  @TestFactory
  default Stream<DynamicTest> aCrowdChangesNoAnswer() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(12),
        draw -> {
          List<Limit> limits = draw.limits();
          Traffic traffic = new Traffic(harness(), draw, limits);
          RateLimiter alone = harness().limiter(traffic.limits());
          RateLimiter crowded = harness().limiter(traffic.limits());
          List<Reservation[]> places = new ArrayList<>();
          long strangers = 0;
          for (int i = 0; i < 40; i++) {
            traffic.step();
            if (draw.oneIn(4)) {
              strangers += crowd(draw, crowded, strangers);
            }
            String key = "key-" + draw.between(0, 3);
            long cost = draw.cost(limits);
            switch ((int) draw.between(0, 7)) {
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
            assertThat(Answer.of(crowded.check(key, cost)))
                .as("%s, step %d, %d strangers", limits, i, strangers)
                .isEqualTo(Answer.of(alone.check(key, cost)));
          }
        });
  }

  private long sizeOfCrowd(Draw draw) {
    return draw.between(1, draw.oneIn(3) ? runs(CROWD) : 50);
  }

  /** Other keys, with some time between them. */
  private long crowd(Draw draw, RateLimiter limiter, long known) {
    long strangers = sizeOfCrowd(draw);
    for (long stranger = 0; stranger < strangers; stranger++) {
      limiter.tryAcquire("stranger-" + draw.between(0, known + stranger));
      if (stranger % 16 == 0 && draw.oneIn(2)) {
        harness().advance(Duration.ofMillis(1));
      }
    }
    return strangers;
  }

  /** Other keys with times decades before and after, and some by the clock. */
  @TestFactory
  default Stream<DynamicTest> aCrowdFromOtherTimesChangesNoAnswer() {
    needs(Harness.Ability.CALLER_TIME);
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(12),
        draw -> {
          List<Limit> limits = draw.limits();
          RateLimiter alone = harness().limiter(limits.toArray(Limit[]::new));
          RateLimiter crowded = harness().limiter(limits.toArray(Limit[]::new));
          long years = Duration.ofDays(3653).toMillis();
          Walk walk = new Walk(draw, limits).withinDecades(1);
          int strangers = 0;
          alone.checkAt("key-0", 0, 0);
          crowded.checkAt("key-0", 0, 0);
          harness().setNanos(Duration.ofDays(2 * 3653).toNanos());
          for (int i = 0; i < 40; i++) {
            walk.step();
            long now = walk.elapsedNanos() / 1_000_000;
            if (draw.oneIn(4)) {
              long more = sizeOfCrowd(draw);
              for (int stranger = 0; stranger < more; stranger++) {
                crowded.allow("stranger-" + strangers++, now + draw.between(-years, 2 * years));
                if (stranger % 16 == 0) {
                  harness().advance(Duration.ofMillis(1));
                  crowded.tryAcquire("late-" + strangers);
                }
              }
            }
            String key = "key-" + draw.between(0, 3);
            long cost = draw.cost(limits);
            assertThat(Answer.of(crowded.checkAt(key, cost, now)))
                .as("%s, step %d, %d strangers", limits, i, strangers)
                .isEqualTo(Answer.of(alone.checkAt(key, cost, now)));
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
        draw -> {
          List<Limit> limits = draw.limits();
          Traffic traffic = new Traffic(harness(), draw, limits);
          RateLimiter.Builder builder = harness().builder().maxKeys(draw.between(1, 4));
          limits.forEach(builder::limit);
          RateLimiter capped = builder.build();
          RateLimiter exact = harness().limiter(traffic.limits());
          for (int i = 0; i < 100; i++) {
            traffic.step();
            String key = "key-" + draw.between(0, 7);
            long cost = draw.cost(limits);
            if (capped.tryAcquire(key, cost) && cost > 0) {
              assertThat(exact.tryAcquire(key, cost)).as("%s, step %d", limits, i).isTrue();
            }
          }
        });
  }
}
