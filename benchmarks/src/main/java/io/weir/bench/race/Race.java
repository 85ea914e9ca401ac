package io.weir.bench.race;

import io.weir.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Rounds in which every lane is measured once, in random order. What is compared is measured within
 * seconds of each other, and the result is the ratio within a round.
 *
 * @param <S> the result of one measurement
 */
public final class Race<S> implements AutoCloseable {
  private final String name;
  private final Schedule schedule;
  private final Function<S, String> inWords;
  private final List<Lane<S>> lanes = new ArrayList<>();
  private final Map<Lane<S>, List<S>> samples = new LinkedHashMap<>();

  /**
   * A race without lanes yet.
   *
   * @param inWords formats a measurement for progress output
   */
  public Race(String name, Schedule schedule, Function<S, String> inWords) {
    this.name = name;
    this.schedule = schedule;
    this.inWords = inWords;
  }

  /** Adds a contender; it is closed with the race. */
  public void add(Lane<S> lane) {
    lanes.add(lane);
    samples.put(lane, new ArrayList<>());
  }

  /** The contenders. */
  public List<Lane<S>> lanes() {
    return Collections.unmodifiableList(lanes);
  }

  /** An action at the end of each round. */
  public interface AfterRound {
    /** Runs it. */
    void run(int round) throws IOException, InterruptedException;
  }

  /** Warms up all lanes, then measures them. */
  public void run(AfterRound afterRound) throws IOException, InterruptedException {
    for (Lane<S> lane : lanes) {
      System.err.printf("%s  warming up %s%n", name, lane.label());
      lane.warmUp(schedule.warmUpMillis());
    }
    for (int round = 1; round <= schedule.rounds(); round++) {
      List<Lane<S>> shuffled = new ArrayList<>(lanes);
      Collections.shuffle(shuffled, new Random(round));
      for (Lane<S> lane : shuffled) {
        lane.begin(schedule.warmUpMillis());
        S sample = schedule.watch(() -> lane.measure(schedule.millis()));
        lane.end();
        samples.get(lane).add(sample);
        System.err.printf(
            "%s  round %d/%d  %s: %s%n",
            name, round, schedule.rounds(), lane.label(), inWords.apply(sample));
      }
      afterRound.run(round);
    }
  }

  /** {@code number} of one lane ÷ that of another, round by round. */
  public Spread ratio(
      Lane<S> lane, ToDoubleFunction<S> number, Lane<S> other, ToDoubleFunction<S> otherNumber) {
    double[] ratios = new double[samples.get(lane).size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] =
          number.applyAsDouble(samples.get(lane).get(i))
              / otherNumber.applyAsDouble(samples.get(other).get(i));
    }
    return Spread.of(ratios);
  }

  /** {@code number} of one lane − that of another, round by round. */
  public Spread difference(Lane<S> lane, Lane<S> other, ToDoubleFunction<S> number) {
    double[] differences = new double[samples.get(lane).size()];
    for (int i = 0; i < differences.length; i++) {
      differences[i] =
          number.applyAsDouble(samples.get(lane).get(i))
              - number.applyAsDouble(samples.get(other).get(i));
    }
    return Spread.of(differences);
  }

  /** The spread of a number of a lane. */
  public Spread spread(Lane<S> lane, ToDoubleFunction<S> number) {
    return Spread.of(samples(lane).stream().mapToDouble(number).toArray());
  }

  /** All measurements of a lane, round by round. */
  public List<S> samples(Lane<S> lane) {
    return Collections.unmodifiableList(samples.get(lane));
  }

  @Override
  public void close() throws IOException {
    for (Lane<S> lane : lanes) {
      lane.close();
    }
  }
}
