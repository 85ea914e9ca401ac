package io.weir.bench.gateway.limiting;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.bench.rounds.Schedule;
import io.weir.bench.rounds.SuiteScenario;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One rule and five rules, in turn: rounds of fresh JVMs with one thread each. */
public final class LimitingSuite {
  private static final List<String> JVM_FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");
  private static final double FIRST_MICROS = 1;
  private static final double THEN_MICROS = 0.4;
  private static final int PARTS = 3;

  private final SuiteScenario suiteScenario;
  private final Schedule schedule;
  private final ChildJvm jvm;

  /** For this section of the report. */
  public LimitingSuite(SuiteScenario suiteScenario, Schedule schedule) {
    this.suiteScenario = suiteScenario;
    this.schedule = schedule;
    this.jvm = new ChildJvm(List.of(), schedule.machineLoad());
  }

  /** Measures, and returns the results. */
  public Section run() throws InterruptedException, ChildJvm.Failed {
    Map<RuleFile, List<ChildLine>> all = new EnumMap<>(RuleFile.class);
    for (int round = 1; round <= schedule.rounds(); round++) {
      for (RuleFile rules : RuleFile.values()) {
        List<String> args = List.of(rules.name(), "" + schedule.millis() / PARTS);
        ChildLine childLine = jvm.run(LimitingChild.class, JVM_FLAGS, args).get(0);
        all.computeIfAbsent(rules, any -> new ArrayList<>()).add(childLine);
        System.err.printf(
            "gateway limiting  round %d/%d  %s: %s ns%n",
            round, schedule.rounds(), rules.label(), Numbers.three(childLine.number(0)));
      }
    }
    MarkdownTable table =
        new MarkdownTable("rules", "µs a request", "processor's µs", "bytes allocated");
    List<Bar> bars = new ArrayList<>();
    all.forEach(
        (rules, childLines) -> {
          Spread micros = spread(childLines, 0, 1000);
          table.row(
              rules.label(),
              micros.text(),
              spread(childLines, 1, 1000).text(),
              Numbers.three(spread(childLines, 2, 1).median()));
          String what = rules.label() + ": µs a request";
          bars.add(Bar.of(what, Bar.Direction.AT_MOST, FIRST_MICROS, THEN_MICROS, micros));
        });
    String remark = "\n%d rounds of fresh JVMs, 10,000 clients.".formatted(schedule.rounds());
    return suiteScenario.section(table + remark, bars);
  }

  private static Spread spread(List<ChildLine> childLines, int column, double unit) {
    return Spread.of(childLines.stream().mapToDouble(each -> each.number(column) / unit).toArray());
  }
}
