package io.weir.bench.allocation;

import io.weir.bench.contender.Contender;
import io.weir.bench.contender.Role;
import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Measures what a check allocates, for every algorithm and every peer. */
public final class AllocationSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

  /** What the few bytes of the measurement itself may add to a million checks. */
  private static final double NOTHING = 0.01;

  private static final Set<Contender> CONTENDERS =
      EnumSet.complementOf(
          EnumSet.of(
              Contender.WEIR_COARSE,
              Contender.FLOOR_FAST_HASH,
              Contender.FLOOR_TICKING,
              Contender.KEY_ONLY));

  private final MarkdownTable table =
      new MarkdownTable(
          "bytes a check", "hot key, allowed", "hot key, refused", "100,000 keys, allowed");
  private final List<Bar> bars = new ArrayList<>();

  /** Measures, and returns the results. */
  public Section run(ChildJvm jvm) throws InterruptedException {
    for (Contender contender : CONTENDERS) {
      System.err.println("allocation  " + contender.label());
      try {
        add(contender, jvm.run(AllocationChild.class, JVM_FLAGS, List.of(contender.id())));
      } catch (ChildJvm.Failed e) {
        System.err.println("FAILED: " + e.getMessage());
        table.row(contender.label() + ": failed", "", "", "");
      }
    }
    return new Section("allocation", "Allocation", table.toString(), bars);
  }

  private void add(Contender contender, List<ChildLine> childLines) {
    Map<String, Map<String, Double>> byVerb = new LinkedHashMap<>();
    for (ChildLine childLine : childLines) {
      byVerb
          .computeIfAbsent(childLine.text(0), verb -> new LinkedHashMap<>())
          .put(childLine.text(1), childLine.number(2));
    }
    byVerb.forEach(
        (verb, bytes) ->
            table.row(
                contender.label() + (contender.role() == Role.WEIR ? ", " + verb : ""),
                Numbers.three(bytes.get("allow")),
                Numbers.three(bytes.get("deny")),
                Numbers.three(bytes.get("keys"))));
    if (contender.role() == Role.WEIR) {
      double maxBytes =
          byVerb.get("tryAcquire").values().stream().mapToDouble(b -> b).max().orElse(0);
      bars.add(
          new Bar(
              "bytes that tryAcquire allocates, " + contender.label(),
              Bar.Direction.AT_MOST,
              0,
              0,
              maxBytes < NOTHING ? 0 : maxBytes,
              ""));
    }
  }
}
