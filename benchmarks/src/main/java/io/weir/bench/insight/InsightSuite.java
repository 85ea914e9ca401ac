package io.weir.bench.insight;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A decision alone, counted, and counted and recorded for insight: rounds of fresh JVMs, in random
 * order within a round. The result is the difference within a round, by the processor time of the
 * deciding thread.
 */
public final class InsightSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");
  private static final List<String> WAYS = List.of("alone", "counted", "seen");
  private static final double BAR_NANOS = 300;

  private final int rounds;
  private final int millis;
  private final Map<String, List<ChildLine>> results = new LinkedHashMap<>();

  /**
   * A suite.
   *
   * @param millis the length of each of two warm-ups and five measurements
   */
  public InsightSuite(int rounds, int millis) {
    this.rounds = rounds;
    this.millis = millis;
    WAYS.forEach(way -> results.put(way, new ArrayList<>()));
  }

  /** Measures, and returns the results. */
  public List<Section> run(ChildJvm jvm) throws InterruptedException {
    try {
      for (int round = 1; round <= rounds; round++) {
        List<String> ways = new ArrayList<>(WAYS);
        Collections.shuffle(ways, new Random(round));
        for (String way : ways) {
          measure(jvm, way, round);
        }
      }
    } catch (ChildJvm.Failed e) {
      System.err.println("FAILED: " + e.getMessage());
      return List.of(new Section("seeing", "Seeing", "failed", List.of()));
    }
    MarkdownTable table =
        new MarkdownTable(
            "a decision in memory, one rule, 1,024 callers",
            "ns, median (min–max)",
            "processor's ns",
            "more than alone: median [quartiles] (min–max)",
            "bytes");
    for (String way : WAYS) {
      table.row(
          way,
          range(spread(way, 0)),
          range(spread(way, 1)),
          way.equals("alone") ? "" : more(way).text(),
          Numbers.three(spread(way, 2).median()));
    }
    Bar bar =
        Bar.of(
            "ns for counting and insight",
            Bar.Direction.AT_MOST,
            BAR_NANOS,
            BAR_NANOS,
            more("seen"));
    return List.of(
        new Section("seeing", "What insight costs a decision", table.toString(), List.of(bar)));
  }

  private void measure(ChildJvm jvm, String way, int round)
      throws InterruptedException, ChildJvm.Failed {
    for (ChildLine childLine :
        jvm.run(DecisionCostChild.class, JVM_FLAGS, List.of(way, String.valueOf(millis)))) {
      results.getOrDefault(way, new ArrayList<>()).add(childLine);
      System.err.printf(
          "round %d/%d  %s  %s ns  processor %s ns  %s bytes%n",
          round,
          rounds,
          way,
          Numbers.three(childLine.number(0)),
          Numbers.three(childLine.number(1)),
          Numbers.three(childLine.number(2)));
    }
  }

  private Spread spread(String way, int column) {
    return Spread.of(
        results.getOrDefault(way, List.of()).stream().mapToDouble(a -> a.number(column)).toArray());
  }

  private Spread more(String way) {
    double[] more = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      more[i] = nanos(way, i) - nanos("alone", i);
    }
    return Spread.of(more);
  }

  private double nanos(String way, int round) {
    return results.getOrDefault(way, List.of()).get(round).number(1);
  }

  private static String range(Spread spread) {
    return "%s (%s–%s)"
        .formatted(
            Numbers.three(spread.median()),
            Numbers.three(spread.min()),
            Numbers.three(spread.max()));
  }
}
