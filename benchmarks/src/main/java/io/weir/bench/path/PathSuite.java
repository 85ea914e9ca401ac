package io.weir.bench.path;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Decisions by rules, headers included, beside a bare check of the limiter: rounds of fresh JVMs,
 * in random order within a round. The result is the ratio within a round, by the processor time of
 * the deciding thread.
 */
public final class PathSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

  private final int rounds;
  private final int millis;
  private final Map<DecisionPath.Scenario, List<ChildLine>> results =
      new EnumMap<>(DecisionPath.Scenario.class);

  /**
   * A suite.
   *
   * @param millis the length of each of two warm-ups and five measurements
   */
  public PathSuite(int rounds, int millis) {
    this.rounds = rounds;
    this.millis = millis;
    for (DecisionPath.Scenario each : DecisionPath.Scenario.values()) {
      results.put(each, new ArrayList<>());
    }
  }

  /** Measures, and returns the results. */
  public List<Section> run(ChildJvm jvm) throws InterruptedException {
    try {
      for (int round = 1; round <= rounds; round++) {
        List<DecisionPath.Scenario> order = Arrays.asList(DecisionPath.Scenario.values());
        Collections.shuffle(order, new Random(round));
        for (DecisionPath.Scenario scenario : order) {
          measure(jvm, scenario, round);
        }
      }
    } catch (ChildJvm.Failed e) {
      System.err.println("FAILED: " + e.getMessage());
      return List.of(new Section("path", "Path", "failed", List.of()));
    }
    MarkdownTable table =
        new MarkdownTable(
            "a decision in memory, 1,024 callers",
            "ns, median (min–max)",
            "processor's ns",
            "ratio to a bare check: median [quartiles] (min–max)",
            "bytes");
    for (DecisionPath.Scenario each : DecisionPath.Scenario.values()) {
      table.row(
          each.title(),
          range(spread(each, 0)),
          range(spread(each, 1)),
          each == DecisionPath.Scenario.CORE ? "" : ratio(each).text(),
          Numbers.three(spread(each, 2).median()));
    }
    return List.of(
        new Section(
            "path",
            "From a request to its headers",
            table.toString(),
            List.of(
                ratioBar(DecisionPath.Scenario.ONE_RULE, 5, 3),
                bytesBar(DecisionPath.Scenario.ONE_RULE, 300, 0),
                ratioBar(DecisionPath.Scenario.TWO_OF_FIVE, 10, 6),
                bytesBar(DecisionPath.Scenario.TWO_OF_FIVE, 500, 500))));
  }

  private Bar ratioBar(DecisionPath.Scenario scenario, double first, double then) {
    return Bar.of(
        scenario.title() + " ÷ bare check", Bar.Direction.AT_MOST, first, then, ratio(scenario));
  }

  private Bar bytesBar(DecisionPath.Scenario scenario, double first, double then) {
    return Bar.of(
        scenario.title() + ", bytes", Bar.Direction.AT_MOST, first, then, spread(scenario, 2));
  }

  private void measure(ChildJvm jvm, DecisionPath.Scenario scenario, int round)
      throws InterruptedException, ChildJvm.Failed {
    List<String> arguments = List.of(scenario.name(), String.valueOf(millis));
    for (ChildLine line : jvm.run(DecisionPathChild.class, JVM_FLAGS, arguments)) {
      results.get(scenario).add(line);
      System.err.printf(
          "round %d/%d  %s  %s ns  processor %s ns  %s bytes%n",
          round,
          rounds,
          scenario.title(),
          Numbers.three(line.number(0)),
          Numbers.three(line.number(1)),
          Numbers.three(line.number(2)));
    }
  }

  private Spread spread(DecisionPath.Scenario scenario, int column) {
    return Spread.of(
        results.get(scenario).stream().mapToDouble(line -> line.number(column)).toArray());
  }

  private Spread ratio(DecisionPath.Scenario scenario) {
    double[] ratios = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      ratios[i] = nanos(scenario, i) / nanos(DecisionPath.Scenario.CORE, i);
    }
    return Spread.of(ratios);
  }

  private double nanos(DecisionPath.Scenario scenario, int round) {
    return results.get(scenario).get(round).number(1);
  }

  private static String range(Spread spread) {
    return "%s (%s–%s)"
        .formatted(
            Numbers.three(spread.median()),
            Numbers.three(spread.min()),
            Numbers.three(spread.max()));
  }
}
