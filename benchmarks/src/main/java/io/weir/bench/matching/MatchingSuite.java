package io.weir.bench.matching;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Few rules and many, of which the same four apply: rounds of fresh JVMs, in random order within a
 * round. The result is the ratio within a round.
 */
public final class MatchingSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");
  private static final int FEW = 10;
  private static final int MANY = 10_000;
  private static final int VERY_MANY = 100_000;
  private static final int COMPILATIONS = 15;
  private static final double BAR = 2;

  private final int rounds;
  private final int millis;
  private final Map<Integer, List<Double>> nanos = new TreeMap<>();
  private final Map<Integer, List<Double>> processorNanos = new TreeMap<>();
  private final Map<Integer, List<Double>> bytes = new TreeMap<>();

  /**
   * A suite.
   *
   * @param millis the length of each of two warm-ups and five measurements
   */
  public MatchingSuite(int rounds, int millis) {
    this.rounds = rounds;
    this.millis = millis;
  }

  /** Measures, and returns the results. */
  public List<Section> run(ChildJvm jvm) throws InterruptedException {
    try {
      return List.of(matching(jvm), compiling(jvm));
    } catch (ChildJvm.Failed e) {
      System.err.println("FAILED: " + e.getMessage());
      return List.of(new Section("matching", "Rules", "failed", List.of()));
    }
  }

  private Section matching(ChildJvm jvm) throws InterruptedException, ChildJvm.Failed {
    for (int round = 1; round <= rounds; round++) {
      List<Integer> sizes = new ArrayList<>(List.of(FEW, MANY, VERY_MANY));
      Collections.shuffle(sizes, new Random(round));
      for (int size : sizes) {
        measure(jvm, size, round);
      }
    }
    MarkdownTable table =
        new MarkdownTable(
            "rules, of which 4 apply",
            "ns a request, median (min–max)",
            "÷ that of 10 rules: median [quartiles] (min–max)",
            "processor's ns, median (min–max)",
            "÷ that of 10 rules",
            "bytes a request");
    nanos.forEach(
        (size, times) -> {
          List<Double> processor = processorNanos.get(size);
          table.row(
              Numbers.whole(size),
              range(times),
              size == FEW ? "1" : ratios(nanos, size).text(),
              range(processor),
              size == FEW ? "1" : ratios(processorNanos, size).text(),
              Numbers.three(spread(bytes.get(size)).median()));
        });
    Bar bar =
        Bar.of("10,000 rules against 10", Bar.Direction.AT_MOST, BAR, BAR, ratios(nanos, MANY));
    return new Section("matching", "Finding the rules that apply", table.toString(), List.of(bar));
  }

  private void measure(ChildJvm jvm, int size, int round)
      throws InterruptedException, ChildJvm.Failed {
    List<String> args = List.of(String.valueOf(size), String.valueOf(millis));
    for (ChildLine childLine : jvm.run(RuleMatchingChild.class, JVM_FLAGS, args)) {
      nanos.computeIfAbsent(size, s -> new ArrayList<>()).add(childLine.number(0));
      processorNanos.computeIfAbsent(size, s -> new ArrayList<>()).add(childLine.number(1));
      bytes.computeIfAbsent(size, s -> new ArrayList<>()).add(childLine.number(2));
      System.err.printf(
          "round %d/%d  %,d rules  %s ns  processor %s ns  %s bytes%n",
          round,
          rounds,
          size,
          Numbers.three(childLine.number(0)),
          Numbers.three(childLine.number(1)),
          Numbers.three(childLine.number(2)));
    }
  }

  private Spread ratios(Map<Integer, List<Double>> times, int size) {
    double[] ratios = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      ratios[i] = times.get(size).get(i) / times.get(FEW).get(i);
    }
    return Spread.of(ratios);
  }

  private static Spread spread(List<Double> values) {
    return Spread.of(values.stream().mapToDouble(value -> value).toArray());
  }

  private Section compiling(ChildJvm jvm) throws InterruptedException, ChildJvm.Failed {
    MarkdownTable table =
        new MarkdownTable(
            "rules",
            "ms, the first time in a JVM: median (min–max)",
            "ms, the " + COMPILATIONS + "th");
    for (int size : List.of(MANY, VERY_MANY)) {
      List<Double> first = new ArrayList<>();
      List<Double> last = new ArrayList<>();
      for (int round = 1; round <= Math.min(5, rounds); round++) {
        List<String> args = List.of(String.valueOf(size), String.valueOf(COMPILATIONS));
        List<ChildLine> childLines = jvm.run(CompileChild.class, JVM_FLAGS, args);
        first.add(childLines.get(0).number(0));
        last.add(childLines.get(childLines.size() - 1).number(0));
      }
      System.err.printf("compile %,d rules  %s%n", size, first);
      table.row(Numbers.whole(size), range(first), range(last));
    }
    return new Section("compiling", "Making rules ready", table.toString(), List.of());
  }

  private static String range(List<Double> values) {
    Spread spread = spread(values);
    return "%s (%s–%s)"
        .formatted(
            Numbers.three(spread.median()),
            Numbers.three(spread.min()),
            Numbers.three(spread.max()));
  }
}
