package io.weir.bench.redis;

import io.weir.bench.fork.ChildLine;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Suspends Redis for a second while checks come steadily, and then resumes it. */
final class Hang {
  private static final int KEYS = 100_000;
  private static final double PER_SECOND = 5000;
  private static final int CALM_MILLIS = 500;
  private static final int HANG_MILLIS = 1000;
  private static final int RECOVERY_MILLIS = 3000;

  private final RedisSetup redisSetup;

  Hang(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    List<ChildLine> hangs = new ArrayList<>();
    try (Fleet fleet = redisSetup.fleet(Client.WEIR, redisSetup.server(), 1)) {
      fleet.open("bench", KEYS, Allowance.MANY);
      fleet.warmUp(redisSetup.warmUpMillis());
      hang(fleet); // compiles the code that only runs then
      for (int round = 1; round <= redisSetup.rounds(); round++) {
        ChildLine childLine = redisSetup.watch(() -> hang(fleet));
        if (childLine.whole(1) == 0) {
          System.err.println("redis hang  Redis did not decide even before it was stopped");
          continue;
        }
        hangs.add(childLine);
        System.err.printf(
            "redis hang  round %d/%d  before %.2f ms, after %.3f ms, normal after %.0f ms%n",
            round,
            redisSetup.rounds(),
            childLine.number(0) / 1e6,
            childLine.number(2) / 1e6,
            childLine.number(4) / 1e6);
      }
    }
    if (hangs.isEmpty()) {
      throw new IOException("the machine is too busy: Redis did not decide before it was stopped");
    }
    MarkdownTable table =
        new MarkdownTable(
            "99th percentile of a check, ms", "median [quartiles] (min–max)", "checks");
    table.row("before Redis hangs", spread(hangs, 5).text(), "");
    table.row("until the breaker opens", spread(hangs, 0).text(), checks(hangs, 1));
    table.row("after that", spread(hangs, 2).text(), checks(hangs, 3));
    return Scenario.HANG.section(
        "%.0f checks a second; SIGSTOP for %d ms; %d rounds.\n\n%s"
            .formatted(PER_SECOND, HANG_MILLIS, hangs.size(), table),
        List.of(
            atMost("hung: 99 % of the checks until the breaker opens, ms", 15, spread(hangs, 0)),
            atMost("hung: 99 % after that, ms", 0.5, spread(hangs, 2)),
            atMost("hung: normal again after SIGCONT, ms", 2000, spread(hangs, 4))));
  }

  private static ChildLine hang(Fleet fleet) throws IOException, InterruptedException {
    long pid = fleet.server().pid();
    long start = System.nanoTime() + 50_000_000;
    fleet.send("record", start, PER_SECOND, CALM_MILLIS + HANG_MILLIS + RECOVERY_MILLIS);
    Thread.sleep(CALM_MILLIS);
    long stop = System.nanoTime();
    signal("-STOP", pid);
    Thread.sleep(HANG_MILLIS);
    signal("-CONT", pid);
    long go = System.nanoTime();
    fleet.receive("recorded");
    return fleet.request("hang", "hang", stop, go);
  }

  private static void signal(String signal, long pid) throws IOException, InterruptedException {
    if (new ProcessBuilder("kill", signal, "" + pid).start().waitFor() != 0) {
      throw new IOException("kill " + signal + " failed");
    }
  }

  private static Bar atMost(String what, double max, Spread measured) {
    return Bar.of(what, Bar.Direction.AT_MOST, max, max, measured);
  }

  private static String checks(List<ChildLine> hangs, int column) {
    return "" + hangs.stream().mapToLong(childLine -> childLine.whole(column)).sum();
  }

  private static Spread spread(List<ChildLine> hangs, int column) {
    return Spread.of(
        hangs.stream().mapToDouble(childLine -> childLine.number(column) / 1e6).toArray());
  }
}
