package io.weir.bench.redis;

import io.weir.bench.redis.node.Allowance;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** How much more memory Redis uses for each caller. */
final class Memory {
  private static final int BUCKETS = 100_000;
  private static final int LOGS = 10_000;
  private static final int LOG_ENTRIES = 100;
  private static final long SETTLE_MILLIS = 1500;

  private final Stage stage;
  private final MarkdownTable table =
      new MarkdownTable("callers", "keys in Redis", "bytes a caller");

  Memory(Stage stage) {
    this.stage = stage;
  }

  Section run() throws IOException, InterruptedException {
    List<Bar> bars = new ArrayList<>();
    try (Fleet fleet = stage.patientWeir(stage.server())) {
      bars.add(
          bar(
              "bytes a token bucket",
              150,
              weigh(
                  fleet,
                  Numbers.whole(BUCKETS) + " with a token bucket",
                  BUCKETS,
                  () -> {
                    fleet.open("api", BUCKETS, Allowance.MANY);
                    fleet.count(BUCKETS);
                  })));
    }
    try (Fleet fleet = stage.patientWeir(stage.server())) {
      bars.add(
          bar(
              "bytes a log of 100",
              1000,
              weigh(
                  fleet,
                  Numbers.whole(LOGS) + " with a log of " + LOG_ENTRIES + " entries",
                  LOGS,
                  () -> {
                    fleet.openLog("api", LOGS, LOG_ENTRIES);
                    fleet.count((long) LOGS * LOG_ENTRIES);
                  })));
    }
    return new Section(Scenario.MEMORY.section(), Scenario.MEMORY.title(), table.toString(), bars);
  }

  private static Bar bar(String what, double most, double measured) {
    return new Bar(what, Bar.Direction.AT_MOST, most, most, measured, "");
  }

  private interface Filling {
    void run() throws IOException;
  }

  private double weigh(Fleet fleet, String label, int callers, Filling filling)
      throws IOException, InterruptedException {
    System.err.println("redis memory  " + label);
    Server server = fleet.server();
    Thread.sleep(SETTLE_MILLIS);
    long keys = Long.parseLong(server.resp().say("DBSIZE"));
    long before = server.usedMemory();
    filling.run();
    // Buffers of connections shrink and tables grow into place within a second or so.
    Thread.sleep(SETTLE_MILLIS);
    double bytes = (double) (server.usedMemory() - before) / callers;
    keys = Long.parseLong(server.resp().say("DBSIZE")) - keys;
    table.row(label, Numbers.whole(keys), Numbers.three(bytes));
    if (keys != callers) {
      System.err.println("FAILED: " + keys + " keys of " + callers + " callers");
    }
    return bytes;
  }
}
