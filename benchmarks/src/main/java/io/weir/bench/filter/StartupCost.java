package io.weir.bench.filter;

import io.weir.bench.program.RunningProgram;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.bench.server.StartupMeasurement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The time from start to first 200 of the application, with and without a filter. */
final class StartupCost {
  private final FilterApplications filterApplications;
  private final int starts;

  StartupCost(FilterApplications filterApplications, int starts) {
    this.filterApplications = filterApplications;
    this.starts = starts;
  }

  Section run() throws IOException {
    Map<Contender, List<StartupMeasurement>> all = new EnumMap<>(Contender.class);
    for (int i = 1; i <= starts; i++) {
      for (Contender contender : Contender.values()) {
        StartupMeasurement first = start(contender);
        all.computeIfAbsent(contender, any -> new ArrayList<>()).add(first);
        System.err.printf(
            "spring start  %d/%d  %s: %.0f ms, %.0f MiB%n",
            i, starts, contender.label(), first.millis(), first.mebibytes());
      }
    }
    MarkdownTable table =
        new MarkdownTable(
            "a start", "ms to the first 200", "more than without", "MiB when idle", "more");
    List<StartupMeasurement> plain = all.getOrDefault(Contender.PLAIN, List.of());
    all.forEach(
        (contender, measured) ->
            table.row(
                contender.label(),
                spread(measured, StartupMeasurement::millis).text(),
                more(measured, plain, StartupMeasurement::millis).text(),
                spread(measured, StartupMeasurement::mebibytes).text(),
                more(measured, plain, StartupMeasurement::mebibytes).text()));
    return Scenario.START.section(table + "\n" + starts + " starts of each, in turn.", List.of());
  }

  private StartupMeasurement start(Contender contender) throws IOException {
    int port = RunningProgram.freePort();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(filterApplications.words(contender, port));
    return StartupMeasurement.of("spring", Map.of(), command, port, "/api/v1/orders/1");
  }

  private static Spread spread(
      List<StartupMeasurement> all, ToDoubleFunction<StartupMeasurement> number) {
    return Spread.of(all.stream().mapToDouble(number).toArray());
  }

  private static Spread more(
      List<StartupMeasurement> all,
      List<StartupMeasurement> plain,
      ToDoubleFunction<StartupMeasurement> number) {
    double[] more = new double[all.size()];
    for (int i = 0; i < more.length; i++) {
      more[i] = number.applyAsDouble(all.get(i)) - number.applyAsDouble(plain.get(i));
    }
    return Spread.of(more);
  }
}
