package io.weir.bench.redis;

import io.weir.bench.fork.ChildLine;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The time of a check on a node at half of its maximum load, beside a plain GET by the same client
 * library at the same rate. Checks come at random, independent of earlier responses, and count from
 * the moment when they were due.
 */
final class Latency {
  private static final int KEYS = 100_000;
  private static final long HEAD_START_NANOS = 50_000_000;

  private final RedisSetup redisSetup;
  private final List<Double> rates = new ArrayList<>();
  private final List<ChildLine> weir = new ArrayList<>();
  private final List<ChildLine> get = new ArrayList<>();

  Latency(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    try (Fleet ours = redisSetup.fleet(Client.WEIR, redisSetup.server(), 1);
        Fleet plain = redisSetup.fleet(Client.GET, redisSetup.server(), 1)) {
      for (Fleet fleet : List.of(ours, plain)) {
        System.err.println("redis latency  warming up " + fleet.label());
        fleet.open("bench", KEYS, Allowance.MANY);
        fleet.measure(redisSetup.warmUpMillis());
        latency(fleet, 20_000, redisSetup.warmUpMillis());
        fleet.pin();
      }
      for (int round = 1; round <= redisSetup.rounds(); round++) {
        double half = redisSetup.watch(() -> ours.measure(redisSetup.millis())).perSecond() / 2;
        rates.add(half / 1000);
        boolean oursFirst = round % 2 == 0;
        for (boolean isOurs : new boolean[] {oursFirst, !oursFirst}) {
          ChildLine childLine =
              redisSetup.watch(() -> latency(isOurs ? ours : plain, half, 2 * redisSetup.millis()));
          (isOurs ? weir : get).add(childLine);
          System.err.printf(
              "redis latency  round %d/%d  %s at %.0f/s: p99 %.0f µs%n",
              round,
              redisSetup.rounds(),
              isOurs ? "Weir" : "GET",
              half,
              childLine.number(1) / 1000);
        }
      }
    }
    double[] ratios = new double[weir.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = weir.get(i).number(1) / get.get(i).number(1);
    }
    MarkdownTable table =
        new MarkdownTable("µs", "median", "99th percentile", "99.9th", "longest", "undecided");
    row(table, "Weir", weir);
    row(table, "GET", get);
    return Scenario.LATENCY.section(
        "%s keys, at %s thousand/s; %d rounds.\n\n%s"
            .formatted(
                Numbers.whole(KEYS),
                spread(rates, rate -> rate).text(),
                redisSetup.rounds(),
                table),
        List.of(
            Bar.of(
                "p99 at half the ceiling: Weir ÷ GET",
                Bar.Direction.AT_MOST,
                3,
                3,
                Spread.of(ratios))));
  }

  private static ChildLine latency(Fleet fleet, double rate, int millis) throws IOException {
    return fleet.request("latency", "latency", System.nanoTime() + HEAD_START_NANOS, rate, millis);
  }

  private static void row(MarkdownTable table, String label, List<ChildLine> childLines) {
    List<String> cells = new ArrayList<>(List.of(label));
    for (int i = 0; i < 4; i++) {
      int column = i;
      cells.add(spread(childLines, childLine -> childLine.number(column) / 1000).text());
    }
    cells.add(Numbers.whole(childLines.stream().mapToLong(childLine -> childLine.whole(4)).sum()));
    table.row(cells.toArray(String[]::new));
  }

  private static <T> Spread spread(List<T> list, ToDoubleFunction<T> number) {
    return Spread.of(list.stream().mapToDouble(number).toArray());
  }
}
