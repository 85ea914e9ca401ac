package io.weir.bench.redis;

import io.weir.bench.fork.ChildLine;
import io.weir.bench.program.RedisServer;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A consistency that waits for a replica, compared with one that does not, with the same replica
 * attached.
 */
final class Strictness {
  private static final int KEYS = 100_000;
  private static final long HEAD_START_NANOS = 50_000_000;

  /** No request is refused; and one second after the start the state is no longer in doubt. */
  private static final Allowance SHORT = new Allowance(1000, Duration.ofSeconds(1), 1000);

  private final RedisSetup redisSetup;

  Strictness(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    RedisServer forExact = redisSetup.server();
    RedisServer forStrict = redisSetup.server();
    try (RedisServer ofExact = redisSetup.replicaOf(forExact);
        RedisServer ofStrict = redisSetup.replicaOf(forStrict);
        Rounds<Sample> rounds = redisSetup.race("strict")) {
      Fleet exact = redisSetup.fleet(Client.WEIR, forExact, 1, "replicas=1&timeout=1s");
      rounds.add(exact);
      exact.open("bench", KEYS, SHORT);
      Fleet strict = redisSetup.fleet(Client.STRICT, forStrict, 1, "replicas=1&timeout=1s");
      rounds.add(strict);
      strict.open("bench", KEYS, SHORT);
      List<ChildLine> exactly = new ArrayList<>();
      List<ChildLine> strictly = new ArrayList<>();
      rounds.run(
          round -> {
            exactly.add(latency(exact, half(rounds, exact)));
            strictly.add(latency(strict, half(rounds, strict)));
          });
      return ScaleScenario.STRICT.section(
          "%s keys, 64 in flight, one node, replicas %s and %s; %d rounds of %d ms.\n\n%s"
              .formatted(
                  Numbers.whole(KEYS),
                  ofExact.port(),
                  ofStrict.port(),
                  redisSetup.rounds(),
                  redisSetup.millis(),
                  table(rounds, exact, exactly, strict, strictly)),
          List.of(
              Bar.of(
                  "strict ÷ exact",
                  Bar.Direction.AT_LEAST,
                  0.4,
                  0.7,
                  RoundsTable.rates(rounds, strict, exact)),
              Bar.of(
                  "strict: p99 at half load, ms", Bar.Direction.AT_MOST, 10, 10, p99(strictly))));
    }
  }

  /** Half of its throughput in this round. */
  private static double half(Rounds<Sample> rounds, Fleet fleet) {
    List<Sample> samples = rounds.samples(fleet);
    return samples.get(samples.size() - 1).perSecond() / 2;
  }

  private ChildLine latency(Fleet fleet, double rate) throws IOException, InterruptedException {
    long start = System.nanoTime() + HEAD_START_NANOS;
    return redisSetup.watch(
        () -> fleet.request("latency", "latency", start, rate, redisSetup.millis()));
  }

  private static Spread p99(List<ChildLine> childLines) {
    return Spread.of(
        childLines.stream().mapToDouble(childLine -> childLine.number(1) / 1e6).toArray());
  }

  private static MarkdownTable table(
      Rounds<Sample> rounds,
      Fleet exact,
      List<ChildLine> exactly,
      Fleet strict,
      List<ChildLine> strictly) {
    MarkdownTable table = new MarkdownTable("", "thousand/s", "p99 at half load, ms", "undecided");
    row(table, rounds, exact, exactly);
    row(table, rounds, strict, strictly);
    return table;
  }

  private static void row(
      MarkdownTable table, Rounds<Sample> rounds, Fleet fleet, List<ChildLine> childLines) {
    table.row(
        fleet.label(),
        rounds.spread(fleet, sample -> sample.perSecond() / 1000).text(),
        p99(childLines).text(),
        Numbers.whole(
            rounds.samples(fleet).stream().mapToLong(Sample::failed).sum()
                + childLines.stream().mapToLong(childLine -> childLine.whole(4)).sum()));
  }
}
