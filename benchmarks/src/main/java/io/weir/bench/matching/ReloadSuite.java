package io.weir.bench.matching;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.util.ArrayList;
import java.util.List;

/** Checks of requests without other work, and during reloads of rules, in turns. */
public final class ReloadSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms2g", "-Xmx2g", "-XX:+UseG1GC");
  private static final int RULES = 10_000;
  private static final int TURNS = 4;
  private static final double BAR_MILLIS = 1000;

  private final int rounds;
  private final int millis;

  /**
   * A suite.
   *
   * @param millis the length of a turn
   */
  public ReloadSuite(int rounds, int millis) {
    this.rounds = rounds;
    this.millis = millis;
  }

  /** Measures, and returns the results. */
  public List<Section> run(ChildJvm jvm) throws InterruptedException {
    List<ChildLine> childLines = new ArrayList<>();
    try {
      for (int round = 1; round <= rounds; round++) {
        System.err.printf("reload  round %d/%d%n", round, rounds);
        List<String> args =
            List.of(String.valueOf(RULES), String.valueOf(TURNS), String.valueOf(millis));
        childLines.addAll(jvm.run(ReloadChild.class, JVM_FLAGS, args));
      }
    } catch (ChildJvm.Failed e) {
      System.err.println("FAILED: " + e.getMessage());
      return List.of(new Section("reload", "Reloading", "failed", List.of()));
    }
    MarkdownTable table =
        new MarkdownTable("requests while", "median, ns", "99.9th percentile, µs", "longest, ms");
    for (String turn : List.of("quiet", "reloading")) {
      table.row(
          turn.equals("quiet") ? "nothing else happens" : "rules are reloaded without a pause",
          Numbers.three(spread(childLines, turn, 0, 1).median()),
          spread(childLines, turn, 1, 1e3).text(),
          spread(childLines, turn, 2, 1e6).text());
    }
    Spread read = spread(childLines, "reload", 0, 1);
    Spread change = spread(childLines, "reload", 1, 1);
    String text =
        table
            + "\n\nA reload of %,d rules, all limits changed, in ms: reading %s, putting into force %s."
                .formatted(RULES, read.text(), change.text());
    Bar bar =
        Bar.of(
            "reload of 10,000 rules, ms",
            Bar.Direction.AT_MOST,
            BAR_MILLIS,
            BAR_MILLIS,
            sum(childLines));
    return List.of(new Section("reload", "Reloading", text, List.of(bar)));
  }

  private static Spread sum(List<ChildLine> childLines) {
    return Spread.of(
        childLines.stream()
            .filter(childLine -> childLine.subject().equals("reload"))
            .mapToDouble(childLine -> childLine.number(0) + childLine.number(1))
            .toArray());
  }

  private static Spread spread(
      List<ChildLine> childLines, String subject, int column, double unit) {
    return Spread.of(
        childLines.stream()
            .filter(childLine -> childLine.subject().equals(subject))
            .mapToDouble(childLine -> childLine.number(column) / unit)
            .toArray());
  }
}
