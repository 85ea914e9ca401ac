package io.weir.bench.rounds;

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
public final class Rounds<S> implements AutoCloseable {
  private final String name;
  private final Schedule schedule;
  private final Function<S, String> inWords;
  private final List<MeasuredCase<S>> measuredCases = new ArrayList<>();
  private final Map<MeasuredCase<S>, List<S>> samples = new LinkedHashMap<>();

  /**
   * A race without lanes yet.
   *
   * @param inWords formats a measurement for progress output
   */
  public Rounds(String name, Schedule schedule, Function<S, String> inWords) {
    this.name = name;
    this.schedule = schedule;
    this.inWords = inWords;
  }

  /** Adds a contender; it is closed with the race. */
  public void add(MeasuredCase<S> measuredCase) {
    measuredCases.add(measuredCase);
    samples.put(measuredCase, new ArrayList<>());
  }

  /** The contenders. */
  public List<MeasuredCase<S>> measuredCases() {
    return Collections.unmodifiableList(measuredCases);
  }

  /** An action at the end of each round. */
  public interface AfterRound {
    /** Runs it. */
    void run(int round) throws IOException, InterruptedException;
  }

  /** Warms up all lanes, then measures them. */
  public void run(AfterRound afterRound) throws IOException, InterruptedException {
    for (MeasuredCase<S> measuredCase : measuredCases) {
      System.err.printf("%s  warming up %s%n", name, measuredCase.label());
      measuredCase.warmUp(schedule.warmUpMillis());
    }
    for (int round = 1; round <= schedule.rounds(); round++) {
      List<MeasuredCase<S>> shuffled = new ArrayList<>(measuredCases);
      Collections.shuffle(shuffled, new Random(round));
      for (MeasuredCase<S> measuredCase : shuffled) {
        measuredCase.begin(schedule.warmUpMillis());
        S sample = schedule.watch(() -> measuredCase.measure(schedule.millis()));
        measuredCase.end();
        samples.get(measuredCase).add(sample);
        System.err.printf(
            "%s  round %d/%d  %s: %s%n",
            name, round, schedule.rounds(), measuredCase.label(), inWords.apply(sample));
      }
      afterRound.run(round);
    }
  }

  /** {@code number} of one lane ÷ that of another, round by round. */
  public Spread ratio(
      MeasuredCase<S> measuredCase,
      ToDoubleFunction<S> number,
      MeasuredCase<S> other,
      ToDoubleFunction<S> otherNumber) {
    double[] ratios = new double[samples.get(measuredCase).size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] =
          number.applyAsDouble(samples.get(measuredCase).get(i))
              / otherNumber.applyAsDouble(samples.get(other).get(i));
    }
    return Spread.of(ratios);
  }

  /** {@code number} of one lane − that of another, round by round. */
  public Spread difference(
      MeasuredCase<S> measuredCase, MeasuredCase<S> other, ToDoubleFunction<S> number) {
    double[] differences = new double[samples.get(measuredCase).size()];
    for (int i = 0; i < differences.length; i++) {
      differences[i] =
          number.applyAsDouble(samples.get(measuredCase).get(i))
              - number.applyAsDouble(samples.get(other).get(i));
    }
    return Spread.of(differences);
  }

  /** The spread of a number of a lane. */
  public Spread spread(MeasuredCase<S> measuredCase, ToDoubleFunction<S> number) {
    return Spread.of(samples(measuredCase).stream().mapToDouble(number).toArray());
  }

  /** All measurements of a lane, round by round. */
  public List<S> samples(MeasuredCase<S> measuredCase) {
    return Collections.unmodifiableList(samples.get(measuredCase));
  }

  @Override
  public void close() throws IOException {
    for (MeasuredCase<S> measuredCase : measuredCases) {
      measuredCase.close();
    }
  }
}
