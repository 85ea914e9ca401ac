package io.weir.bench.redis;

import io.weir.bench.program.RedisServer;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How much more memory Redis uses for each caller. */
final class Memory {
  private static final int BUCKETS = 100_000;
  private static final long CHECKS = 5;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int LOGS = 10_000;
  private static final int LOG_ENTRIES = 100;
  private static final long SETTLE_MILLIS = 1500;

  private final RedisSetup redisSetup;
  private final MarkdownTable table =
      new MarkdownTable("callers", "keys in Redis", "bytes a caller");

  Memory(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    List<Bar> bars = new ArrayList<>();
    try (Fleet fleet = redisSetup.weirWithLongTimeout(redisSetup.server())) {
      bars.add(bucket(fleet, "1000 an hour", new Allowance(1000, HOUR, 1000)));
    }
    try (Fleet fleet = redisSetup.weirWithLongTimeout(redisSetup.server())) {
      bars.add(bucket(fleet, "100 an hour, bursts of 1000", new Allowance(100, HOUR, 1000)));
    }
    try (Fleet fleet = redisSetup.weirWithLongTimeout(redisSetup.server())) {
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
    return Scenario.MEMORY.section(table.toString(), bars);
  }

  private Bar bucket(Fleet fleet, String label, Allowance allowance)
      throws IOException, InterruptedException {
    double bytes =
        weigh(
            fleet,
            Numbers.whole(BUCKETS) + " with a token bucket, " + label,
            BUCKETS,
            () -> {
              fleet.open("api", BUCKETS, allowance);
              // More than once, so that no bucket is full and deleted when memory is measured.
              fleet.count(CHECKS * BUCKETS);
            });
    return bar("bytes a token bucket, " + label, 150, bytes);
  }

  private static Bar bar(String what, double max, double measured) {
    return new Bar(what, Bar.Direction.AT_MOST, max, max, measured, "");
  }

  private interface Filling {
    void run() throws IOException;
  }

  private double weigh(Fleet fleet, String label, int callers, Filling filling)
      throws IOException, InterruptedException {
    System.err.println("redis memory  " + label);
    RedisServer server = fleet.server();
    Thread.sleep(SETTLE_MILLIS);
    long keys = Long.parseLong(server.resp().say("DBSIZE"));
    long before = server.usedMemory();
    filling.run();
    // Connection buffers shrink and tables finish growing within a second or so.
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
