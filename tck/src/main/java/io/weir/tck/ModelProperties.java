package io.weir.tck;

import io.weir.Limit;
import io.weir.tck.model.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Random limits, traffic and clocks: every answer equals the reference model's. */
interface ModelProperties extends StoreTests {
  int STEPS = 60;

  /** Each key has its own time, from any origin; only the order within a key counts. */
  @TestFactory
  default Stream<DynamicTest> answersAtGivenTimesEqualTheModel() {
    needsGivenTimes();
    return Seeds.runs(
        runs(100),
        draw -> {
          List<Limit> limits = draw.limits();
          Duel duel = new Duel(harness(), limits);
          long origin = draw.originMillis(harness());
          List<Walk> walks = new ArrayList<>();
          List<Answer> last = new ArrayList<>();
          for (int key = 0; key < 3; key++) {
            walks.add(new Walk(draw, limits));
            last.add(duel.checkAt("key-" + key, draw.cost(limits), origin));
          }
          for (int i = 0; i < STEPS; i++) {
            int key = (int) draw.between(0, 2);
            walks.get(key).step(last.get(key));
            long millis = origin + walks.get(key).elapsedNanos() / 1_000_000;
            last.set(key, duel.checkAt("key-" + key, draw.cost(limits), millis));
          }
        });
  }

  /** The clock is finer than a tick, and may have any origin. */
  @TestFactory
  default Stream<DynamicTest> answersByTheClockEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(100),
        draw -> {
          List<Limit> limits = draw.limits();
          Traffic traffic = new Traffic(harness(), draw, limits, new Walk(draw, limits));
          Duel duel = new Duel(harness(), limits);
          boolean creeping = draw.oneIn(3);
          Answer last = duel.check("key-0", 0);
          for (int i = 0; i < STEPS; i++) {
            Answer before = last;
            traffic.move(creeping ? Walk::creep : walk -> walk.step(before));
            String key = "key-" + draw.between(0, 1);
            if (draw.oneIn(4)) {
              duel.tryAcquire(key, draw.cost(limits));
            } else if (draw.oneIn(6)) {
              last = duel.peek(key, draw.cost(limits));
            } else {
              last = duel.check(key, draw.cost(limits));
            }
          }
        });
  }

  /** Reservations, corrections, refunds and resets in between. */
  @TestFactory
  default Stream<DynamicTest> answersAmongAllVerbsEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(100),
        draw -> {
          List<Limit> limits = draw.limits();
          Traffic traffic = new Traffic(harness(), draw, limits);
          Duel duel = new Duel(harness(), limits);
          List<Duel.Place> places = new ArrayList<>();
          Answer last = duel.check("key", 0);
          for (int i = 0; i < STEPS; i++) {
            Answer before = last;
            traffic.move(walk -> walk.step(before));
            switch ((int) draw.between(0, 9)) {
              case 0, 1 ->
                  places.add(duel.reserve("key", draw.cost(limits), longestWait(draw, limits)));
              case 2, 3 -> {
                if (!places.isEmpty()) {
                  Duel.Place place = places.remove((int) draw.between(0, places.size() - 1));
                  place.settle(
                      switch ((int) draw.between(0, 3)) {
                        case 0 -> draw.between(0, place.cost());
                        case 1 -> draw.cost(limits);
                        default -> 0;
                      });
                }
              }
              case 4 -> duel.refund("key", draw.cost(limits));
              case 5 -> {
                if (draw.oneIn(3)) {
                  duel.reset("key");
                }
              }
              default -> last = duel.check("key", draw.cost(limits));
            }
            last = duel.peek("key", 1);
          }
        });
  }

  /**
   * The clock steps forward and back. It steps back only where permits were just taken: a bucket
   * that is full by the latest time may be forgotten, and does not return when the clock steps
   * back.
   */
  @TestFactory
  default Stream<DynamicTest> answersByAClockThatGoesBackEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(50),
        draw -> {
          List<Limit> limits = draw.limits();
          Traffic traffic = new Traffic(harness(), draw, limits);
          Duel duel = new Duel(harness(), limits);
          Answer last = duel.check("key", 1);
          boolean taken = last.allowed();
          for (int i = 0; i < STEPS; i++) {
            Answer before = last;
            traffic.move(taken && draw.oneIn(3) ? Walk::back : walk -> walk.step(before));
            long cost = draw.cost(limits);
            last =
                draw.oneIn(5)
                    ? duel.reserve("key", cost, longestWait(draw, limits)).answer()
                    : duel.check("key", cost);
            taken = cost > 0 && last.allowed();
          }
        });
  }

  /** The limits change while in use. */
  @TestFactory
  default Stream<DynamicTest> answersAcrossChangesOfLimitsEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(50),
        draw -> {
          List<Limit> limits = draw.limits();
          Traffic traffic = new Traffic(harness(), draw, limits);
          Duel duel = new Duel(harness(), limits);
          List<Duel.Place> places = new ArrayList<>();
          Answer last = duel.check("key-0", 1);
          for (int i = 0; i < STEPS; i++) {
            Answer before = last;
            traffic.move(walk -> walk.step(before));
            String key = "key-" + draw.between(0, 2);
            long cost = draw.cost(duel.limits());
            switch ((int) draw.between(0, 9)) {
              case 0 -> duel.reconfigure(draw.instead(duel.limits()));
              case 1 -> places.add(duel.reserve(key, cost, longestWait(draw, duel.limits())));
              case 2 -> {
                if (!places.isEmpty()) {
                  places.remove(0).settle(draw.oneIn(2) ? 0 : cost);
                }
              }
              default -> last = duel.check(key, cost);
            }
          }
        });
  }

  private static Duration longestWait(Draw draw, List<Limit> limits) {
    return draw.oneIn(3) ? Limit.MAX_PERIOD : Duration.ofNanos(draw.stepNanos(draw.of(limits)));
  }
}
