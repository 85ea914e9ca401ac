package io.weir.tck;

import io.weir.Limit;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Random limits, traffic and clocks: every decision equals the reference model's. */
interface ModelProperties extends StoreTests {
  int STEPS = 60;

  /** Each key has its own time, from any origin; only the order within a key counts. */
  @TestFactory
  default Stream<DynamicTest> decisionsAtGivenTimesEqualTheModel() {
    needsGivenTimes();
    return Seeds.runs(
        runs(100),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          ModelComparison modelComparison = new ModelComparison(harness(), limits);
          long origin = inputGenerator.originMillis(harness());
          List<TimeWalk> timeWalks = new ArrayList<>();
          List<ObservedDecision> last = new ArrayList<>();
          for (int key = 0; key < 3; key++) {
            timeWalks.add(new TimeWalk(inputGenerator, limits));
            last.add(modelComparison.checkAt("key-" + key, inputGenerator.cost(limits), origin));
          }
          for (int i = 0; i < STEPS; i++) {
            int key = (int) inputGenerator.between(0, 2);
            timeWalks.get(key).step(last.get(key));
            long millis = origin + timeWalks.get(key).elapsedNanos() / 1_000_000;
            last.set(
                key, modelComparison.checkAt("key-" + key, inputGenerator.cost(limits), millis));
          }
        });
  }

  /** The clock is finer than a tick, and may have any origin. */
  @TestFactory
  default Stream<DynamicTest> decisionsByTheClockEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(100),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          Traffic traffic =
              new Traffic(harness(), inputGenerator, limits, new TimeWalk(inputGenerator, limits));
          ModelComparison modelComparison = new ModelComparison(harness(), limits);
          boolean creeping = inputGenerator.oneIn(3);
          ObservedDecision last = modelComparison.check("key-0", 0);
          for (int i = 0; i < STEPS; i++) {
            ObservedDecision before = last;
            traffic.move(creeping ? TimeWalk::creep : timeWalk -> timeWalk.step(before));
            String key = "key-" + inputGenerator.between(0, 1);
            if (inputGenerator.oneIn(4)) {
              modelComparison.tryAcquire(key, inputGenerator.cost(limits));
            } else if (inputGenerator.oneIn(6)) {
              last = modelComparison.peek(key, inputGenerator.cost(limits));
            } else {
              last = modelComparison.check(key, inputGenerator.cost(limits));
            }
          }
        });
  }

  /** Reservations, corrections, refunds and resets in between. */
  @TestFactory
  default Stream<DynamicTest> decisionsAmongAllOperationsEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(100),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          Traffic traffic = new Traffic(harness(), inputGenerator, limits);
          ModelComparison modelComparison = new ModelComparison(harness(), limits);
          List<ModelComparison.PairedReservation> pairedReservations = new ArrayList<>();
          ObservedDecision last = modelComparison.check("key", 0);
          for (int i = 0; i < STEPS; i++) {
            ObservedDecision before = last;
            traffic.move(timeWalk -> timeWalk.step(before));
            switch ((int) inputGenerator.between(0, 9)) {
              case 0, 1 ->
                  pairedReservations.add(
                      modelComparison.reserve(
                          "key", inputGenerator.cost(limits), longestWait(inputGenerator, limits)));
              case 2, 3 -> {
                if (!pairedReservations.isEmpty()) {
                  ModelComparison.PairedReservation pairedReservation =
                      pairedReservations.remove(
                          (int) inputGenerator.between(0, pairedReservations.size() - 1));
                  pairedReservation.settle(
                      switch ((int) inputGenerator.between(0, 3)) {
                        case 0 -> inputGenerator.between(0, pairedReservation.cost());
                        case 1 -> inputGenerator.cost(limits);
                        default -> 0;
                      });
                }
              }
              case 4 -> modelComparison.refund("key", inputGenerator.cost(limits));
              case 5 -> {
                if (inputGenerator.oneIn(3)) {
                  modelComparison.reset("key");
                }
              }
              default -> last = modelComparison.check("key", inputGenerator.cost(limits));
            }
            last = modelComparison.peek("key", 1);
          }
        });
  }

  /**
   * The clock steps forward and back. It steps back only where permits were just taken: a bucket
   * that is full by the latest time may be forgotten, and does not return when the clock steps
   * back.
   */
  @TestFactory
  default Stream<DynamicTest> decisionsByAClockThatGoesBackEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(50),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          Traffic traffic = new Traffic(harness(), inputGenerator, limits);
          ModelComparison modelComparison = new ModelComparison(harness(), limits);
          ObservedDecision last = modelComparison.check("key", 1);
          boolean taken = last.allowed();
          for (int i = 0; i < STEPS; i++) {
            ObservedDecision before = last;
            traffic.move(
                taken && inputGenerator.oneIn(3)
                    ? TimeWalk::back
                    : timeWalk -> timeWalk.step(before));
            long cost = inputGenerator.cost(limits);
            last =
                inputGenerator.oneIn(5)
                    ? modelComparison
                        .reserve("key", cost, longestWait(inputGenerator, limits))
                        .observedDecision()
                    : modelComparison.check("key", cost);
            taken = cost > 0 && last.allowed();
          }
        });
  }

  /** The limits change while in use. */
  @TestFactory
  default Stream<DynamicTest> decisionsAcrossChangesOfLimitsEqualTheModel() {
    needs(Harness.Ability.MANUAL_TIME);
    return Seeds.runs(
        runs(50),
        inputGenerator -> {
          List<Limit> limits = inputGenerator.limits();
          Traffic traffic = new Traffic(harness(), inputGenerator, limits);
          ModelComparison modelComparison = new ModelComparison(harness(), limits);
          List<ModelComparison.PairedReservation> pairedReservations = new ArrayList<>();
          ObservedDecision last = modelComparison.check("key-0", 1);
          for (int i = 0; i < STEPS; i++) {
            ObservedDecision before = last;
            traffic.move(timeWalk -> timeWalk.step(before));
            String key = "key-" + inputGenerator.between(0, 2);
            long cost = inputGenerator.cost(modelComparison.limits());
            switch ((int) inputGenerator.between(0, 9)) {
              case 0 ->
                  modelComparison.reconfigure(inputGenerator.instead(modelComparison.limits()));
              case 1 ->
                  pairedReservations.add(
                      modelComparison.reserve(
                          key, cost, longestWait(inputGenerator, modelComparison.limits())));
              case 2 -> {
                if (!pairedReservations.isEmpty()) {
                  pairedReservations.remove(0).settle(inputGenerator.oneIn(2) ? 0 : cost);
                }
              }
              default -> last = modelComparison.check(key, cost);
            }
          }
        });
  }

  private static Duration longestWait(InputGenerator inputGenerator, List<Limit> limits) {
    return inputGenerator.oneIn(3)
        ? Limit.MAX_PERIOD
        : Duration.ofNanos(inputGenerator.stepNanos(inputGenerator.of(limits)));
  }
}
