package io.weir.bench.footprint;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Measures the bytes per key of Weir over many sizes of the table, and of the peers at one. */
public final class FootprintSuite {
  /**
   * The serial collector leaves nothing behind that could count as a key, if configured not to
   * leave dead objects where moving the others would be more work.
   */
  private static final List<String> JVM_FLAGS =
      List.of(
          "-Xmx8g",
          "-XX:+UseSerialGC",
          "-XX:MarkSweepDeadRatio=0",
          "-Djdk.attach.allowAttachSelf=true", // for the walk, as is the next
          "-Djol.magicFieldOffset=true");

  private final List<Subject> subjects;

  /**
   * @param quick only the token bucket
   */
  public FootprintSuite(boolean quick) {
    subjects = quick ? List.of(Subject.TOKEN_BUCKET) : List.of(Subject.values());
  }

  /** Measures, and returns the results. */
  public Section run(ChildJvm jvm) throws InterruptedException {
    MarkdownTable table =
        new MarkdownTable(
            "bytes a live key",
            "keys",
            "mean",
            "worst (at keys)",
            "best (at keys)",
            "mean by walking the objects");
    List<Bar> bars = new ArrayList<>();
    StringBuilder failures = new StringBuilder();
    for (Subject subject : subjects) {
      System.err.print("memory  " + subject.label());
      try {
        List<Weight> weights =
            jvm.run(FootprintChild.class, JVM_FLAGS, List.of(subject.name())).stream()
                .map(Weight::of)
                .toList();
        add(table, subject, weights);
        subject.bar().ifPresent(bar -> addBars(bars, subject, bar, weights));
        System.err.println("  " + Numbers.three(mean(weights, Weight::heap)));
      } catch (ChildJvm.Failed e) {
        System.err.println("  FAILED: " + e.getMessage());
        failures.append("\n").append(subject.label()).append(" failed.");
      }
    }
    return new Section("memory", "Memory", table.toString() + failures, bars);
  }

  private static void add(MarkdownTable table, Subject subject, List<Weight> weights) {
    Weight worst = worst(weights);
    Weight best = weights.stream().min(Comparator.comparingDouble(Weight::heap)).orElseThrow();
    boolean one = weights.size() == 1;
    table.row(
        subject.label(),
        one
            ? Numbers.whole(worst.keys)
            : weights.size()
                + " sizes, "
                + Numbers.whole(weights.get(0).keys)
                + " to "
                + Numbers.whole(weights.get(weights.size() - 1).keys),
        Numbers.three(mean(weights, Weight::heap)),
        one ? "" : worst.text(),
        one ? "" : best.text(),
        Numbers.three(mean(weights, Weight::graph)));
  }

  private static void addBars(
      List<Bar> bars, Subject subject, Subject.Bytes bar, List<Weight> weights) {
    double then = bar.mean() <= 28 ? 20 : bar.mean();
    bars.add(
        new Bar(
            "bytes a key, mean, " + subject.label(),
            Bar.Direction.AT_MOST,
            bar.mean(),
            then,
            mean(weights, Weight::heap),
            ""));
    bars.add(
        new Bar(
            "bytes a key, worst, " + subject.label(),
            Bar.Direction.AT_MOST,
            bar.worst(),
            bar.worst(),
            worst(weights).heap,
            ""));
  }

  private static double mean(List<Weight> weights, ToDoubleFunction<Weight> bytes) {
    return weights.stream().mapToDouble(bytes).average().orElseThrow();
  }

  private static Weight worst(List<Weight> weights) {
    return weights.stream().max(Comparator.comparingDouble(Weight::heap)).orElseThrow();
  }

  /** Bytes per key at one size, by the heap and by the objects. */
  private record Weight(long keys, double heap, double graph) {
    static Weight of(ChildLine childLine) {
      double keys = childLine.number(0);
      return new Weight(childLine.whole(0), childLine.number(1) / keys, childLine.number(2) / keys);
    }

    String text() {
      return Numbers.three(heap) + " (" + Numbers.whole(keys) + ")";
    }
  }
}
