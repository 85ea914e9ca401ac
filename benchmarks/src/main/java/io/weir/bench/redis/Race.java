package io.weir.bench.redis;

import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/**
 * Rounds in which every lane is measured once, in random order: what is compared is measured within
 * seconds of each other, and what counts is the ratio within a round.
 */
final class Race implements AutoCloseable {
  private final String name;
  private final Stage stage;
  private final List<Lane> lanes = new ArrayList<>();
  private final Map<Lane, List<Sample>> samples = new LinkedHashMap<>();

  Race(String name, Stage stage) {
    this.name = name;
    this.stage = stage;
  }

  void add(Lane lane) {
    lanes.add(lane);
    samples.put(lane, new ArrayList<>());
  }

  /** Something to do at the end of each round. */
  interface AfterRound {
    void run(int round) throws IOException, InterruptedException;
  }

  void run(AfterRound afterRound) throws IOException, InterruptedException {
    for (Lane lane : lanes) {
      System.err.printf("redis %s  warming up %s%n", name, lane.label());
      lane.warmUp(stage.warmUpMillis());
    }
    for (int round = 1; round <= stage.rounds(); round++) {
      List<Lane> shuffled = new ArrayList<>(lanes);
      Collections.shuffle(shuffled, new Random(round));
      for (Lane lane : shuffled) {
        Sample sample = stage.watch(() -> lane.measure(stage.millis()));
        samples.get(lane).add(sample);
        System.err.printf(
            "redis %s  round %d/%d  %s: %.1f thousand/s%n",
            name, round, stage.rounds(), lane.label(), sample.perSecond() / 1000);
      }
      afterRound.run(round);
    }
  }

  /** {@code number} of one lane ÷ that of another, round by round. */
  Spread ratio(
      Lane lane,
      ToDoubleFunction<Sample> number,
      Lane other,
      ToDoubleFunction<Sample> otherNumber) {
    double[] ratios = new double[samples.get(lane).size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] =
          number.applyAsDouble(samples.get(lane).get(i))
              / otherNumber.applyAsDouble(samples.get(other).get(i));
    }
    return Spread.of(ratios);
  }

  Spread ratio(Lane lane, Lane other) {
    return ratio(lane, Sample::perSecond, other, Sample::perSecond);
  }

  Spread spread(Lane lane, ToDoubleFunction<Sample> number) {
    return Spread.of(samples.get(lane).stream().mapToDouble(number).toArray());
  }

  /** All lanes beside {@code bare} and {@code ours}. */
  MarkdownTable table(String title, Lane bare, Lane ours) {
    MarkdownTable table =
        new MarkdownTable(
            title,
            "thousand/s, median (min–max)",
            "÷ bare: median [quartiles] (min–max)",
            "Weir ÷ it",
            "script calls, thousand/s",
            "µs of the client's core",
            "µs of Redis's core",
            "undecided");
    for (Lane lane : lanes) {
      Spread rate = spread(lane, sample -> sample.perSecond() / 1000);
      double client = spread(lane, Sample::clientMicros).median();
      table.row(
          lane.label(),
          Numbers.three(rate.median())
              + (" (" + Numbers.three(rate.min()) + "–" + Numbers.three(rate.max()) + ")"),
          lane == bare ? "1" : ratio(lane, bare).text(),
          lane == ours ? "1" : lanes.contains(ours) ? ratio(ours, lane).text() : "",
          Numbers.three(spread(lane, sample -> sample.callsPerSecond() / 1000).median()),
          Double.isNaN(client) ? "" : Numbers.three(client),
          Numbers.three(spread(lane, Sample::serverMicros).median()),
          Numbers.whole(samples.get(lane).stream().mapToLong(Sample::failed).sum()));
    }
    return table;
  }

  @Override
  public void close() throws IOException {
    for (Lane lane : lanes) {
      lane.close();
    }
  }
}
