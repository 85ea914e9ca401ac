package io.weir.bench.service;

import io.weir.bench.program.RunningProgram;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.bench.server.Checkout;
import io.weir.bench.server.StartupMeasurement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How long {@code ./weir serve} takes from the command to the first 200 of its service, and its
 * memory use then.
 */
final class ServiceStartup {
  private final Checkout checkout;
  private final int starts;

  ServiceStartup(Checkout checkout, int starts) {
    this.checkout = checkout;
    this.starts = starts;
  }

  Section run() throws IOException {
    Map<String, List<StartupMeasurement>> all = new LinkedHashMap<>();
    Map<String, Path> javas = checkout.javas();
    for (Map.Entry<String, Path> java : javas.entrySet()) {
      all.put(java.getKey(), new ArrayList<>());
      start(java.getValue()); // creates what is created only once, such as a class data archive
    }
    for (int i = 0; i < starts; i++) {
      for (Map.Entry<String, Path> java : javas.entrySet()) {
        StartupMeasurement start = start(java.getValue());
        all.get(java.getKey()).add(start);
        System.err.printf(
            "service start  %d/%d  %s: %.0f ms, %.0f MiB%n",
            i + 1, starts, java.getKey(), start.millis(), start.mebibytes());
      }
    }
    MarkdownTable table = new MarkdownTable("./weir serve", "ms to the first 200", "MiB when idle");
    List<Bar> bars = new ArrayList<>();
    all.forEach(
        (name, measured) -> {
          Spread millis =
              Spread.of(measured.stream().mapToDouble(StartupMeasurement::millis).toArray());
          Spread memory =
              Spread.of(measured.stream().mapToDouble(StartupMeasurement::mebibytes).toArray());
          table.row(name, millis.text(), memory.text());
          bars.add(Bar.of(name + ": ms to the first 200", Bar.Direction.AT_MOST, 800, 300, millis));
          bars.add(Bar.of(name + ": MiB when idle", Bar.Direction.AT_MOST, 130, 80, memory));
        });
    return Scenario.START.section(table + "\n" + starts + " starts on each JDK, in turn.", bars);
  }

  private StartupMeasurement start(Path java) throws IOException {
    int port = RunningProgram.freePort();
    List<String> command =
        List.of(
            checkout.command().toString(),
            "serve",
            "--service-port",
            "" + port,
            "--gateway-port",
            "" + RunningProgram.freePort(),
            "--admin-port",
            "" + RunningProgram.freePort());
    return StartupMeasurement.of(
        "./weir serve",
        Map.of("WEIR_JAVA_HOME", java.toString()),
        command,
        port,
        "/v1/check?user=42");
  }
}
