package io.weir.bench.pause;

import io.weir.bench.contender.Contender;
import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Grows Weir to ten million keys. For comparison: a preallocated table, where slow checks are due
 * to the machine and the collector only, and a map as in hand-written code.
 */
public final class PauseSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms8g", "-Xmx8g", "-XX:+UseG1GC");

  private final MarkdownTable times =
      new MarkdownTable(
          "a check while growing to 10,000,000 keys, µs",
          "50 %",
          "99 %",
          "99.9 %",
          "99.99 %",
          "99.999 %",
          "99.9999 %",
          "worst");
  private final MarkdownTable causeTable =
      new MarkdownTable(
          "slow checks: over 0.1 ms / over 1 ms (the longest, ms)",
          "within a safepoint (mostly GC)",
          "while off the processor",
          "by the table, or unexplained",
          "keys at the longest of those",
          "safepoints (the longest, ms)");
  private final List<Bar> bars = new ArrayList<>();

  /** One line of the tables. */
  private record Run(String label, Contender contender, boolean touched) {}

  /** Measures, and returns the results. */
  public Section run(ChildJvm jvm) throws InterruptedException, IOException {
    for (Run run :
        List.of(
            new Run("Weir", Contender.WEIR, false),
            new Run("Weir, heap touched before", Contender.WEIR, true),
            new Run("table allocated before (no growth)", Contender.FLOOR, true),
            new Run("map of synchronized buckets", Contender.SYNCHRONIZED, false))) {
      System.err.println("pause  " + run.label);
      Path log = Files.createTempFile("bench", ".safepoints");
      try {
        List<String> flags = new ArrayList<>(JVM_FLAGS);
        flags.add("-Xlog:safepoint:file=" + log + ":timenanos:filecount=0");
        if (run.touched) {
          flags.add("-XX:+AlwaysPreTouch");
        }
        add(run, jvm.run(PauseChild.class, flags, List.of(run.contender.id(), log.toString())));
      } catch (ChildJvm.Failed e) {
        System.err.println("FAILED: " + e.getMessage());
        times.row(run.label + ": failed", "", "", "", "", "", "", "");
      } finally {
        Files.delete(log);
      }
    }
    return new Section("pause", "Pauses while growing", times + "\n" + causeTable, bars);
  }

  private void add(Run run, List<ChildLine> childLines) {
    List<String> cells = new ArrayList<>(List.of(run.label));
    List<String> causes = new ArrayList<>(List.of(run.label));
    for (ChildLine childLine : childLines) {
      switch (childLine.subject()) {
        case "percentile" -> cells.add(micros(childLine.number(1)));
        case "worst" -> cells.add(micros(childLine.number(0)));
        case "slow" -> {
          double longest = childLine.number(3) / 1e6;
          causes.add(
              childLine.text(1)
                  + " / "
                  + childLine.text(2)
                  + (longest > 0 ? " (" + Numbers.three(longest) + ")" : ""));
          boolean isWeir =
              childLine.text(0).equals(SlowChecks.Cause.TABLE_OR_UNKNOWN.name())
                  && run.contender == Contender.WEIR;
          if (isWeir) {
            bars.add(
                new Bar(
                    run.label + ": the longest check that no safepoint explains, ms",
                    Bar.Direction.AT_MOST,
                    1,
                    0.1,
                    longest,
                    longest > 0 ? "" : "< 0.1"));
          }
        }
        case "worst-at" -> causes.add(Numbers.whole(childLine.whole(0)));
        case "safepoints" ->
            causes.add(childLine.text(0) + " (" + Numbers.three(childLine.number(1) / 1e6) + ")");
        default -> throw new IllegalStateException("unknown answer " + childLine);
      }
    }
    times.row(cells.toArray(String[]::new));
    causeTable.row(causes.toArray(String[]::new));
  }

  private static String micros(double nanos) {
    return Numbers.three(nanos / 1000);
  }
}
