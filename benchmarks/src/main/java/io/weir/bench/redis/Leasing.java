package io.weir.bench.redis;

import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.util.List;

/** Two nodes that check a thousand busy keys with large limits, for each consistency. */
final class Leasing {
  private static final int KEYS = 1000;
  private static final int NODES = 2;
  private static final int STARTERS = 2;
  private static final long LIMIT = 20_000;

  /** A long timeout, since timed-out checks would distort the throughput. */
  private static final String PATIENT = "timeout=1s";

  private final RedisSetup redisSetup;

  Leasing(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    try (Rounds<Sample> rounds = redisSetup.race("leased")) {
      RedisBenchmark bare =
          redisSetup.redisBenchmark(redisSetup.server()).open(KEYS, Allowance.HOT);
      rounds.add(bare);
      Fleet exact = fleet(rounds, Client.WEIR);
      Fleet leased = fleet(rounds, Client.LEASED);
      Fleet eventual = fleet(rounds, Client.EVENTUAL);
      long[] over = {0};
      rounds.run(
          round -> {
            over[0] = Math.max(over[0], over(exact, round));
            over[0] = Math.max(over[0], over(leased, round));
          });
      Spread gain = RoundsTable.rates(rounds, leased, bare);
      return ScaleScenario.LEASED.section(
          "64 in flight in each of %d nodes, %s keys, %d rounds of %d ms.\n\n%s"
              .formatted(
                  NODES,
                  Numbers.whole(KEYS),
                  redisSetup.rounds(),
                  redisSetup.millis(),
                  table(rounds, bare, exact, leased, eventual)),
          List.of(
              Bar.of(
                  "leased: decisions ÷ calls that Redis can serve one by one",
                  Bar.Direction.AT_LEAST,
                  10,
                  50,
                  gain),
              new Bar(
                  "leased and exact: permits of %s granted too many".formatted(LIMIT),
                  Bar.Direction.AT_MOST,
                  0,
                  0,
                  over[0],
                  "")));
    }
  }

  private Fleet fleet(Rounds<Sample> rounds, Client client) throws IOException {
    Fleet fleet = redisSetup.fleet(client, redisSetup.server(), NODES, PATIENT);
    rounds.add(fleet);
    return fleet.open("bench", KEYS, Allowance.HOT).startedBy(STARTERS);
  }

  /** By how many permits a bucket without refill is overspent. */
  private static long over(Fleet fleet, int round) throws IOException {
    fleet.open("over-" + round, 1, Allowance.just(LIMIT));
    long granted = fleet.count(LIMIT).allowed();
    fleet.open("bench", KEYS, Allowance.HOT);
    return Math.max(0, granted - LIMIT);
  }

  private static MarkdownTable table(Rounds<Sample> rounds, RedisBenchmark bare, Fleet... fleets) {
    MarkdownTable table =
        new MarkdownTable(
            "",
            "thousand/s, median (min–max)",
            "÷ bare: median [quartiles] (min–max)",
            "script calls in 1000 checks",
            "undecided");
    Spread own = rounds.spread(bare, sample -> sample.perSecond() / 1000);
    table.row(bare.label(), range(own), "1", "1000", "0");
    for (Fleet fleet : fleets) {
      Spread calls = rounds.spread(fleet, each -> 1000 * each.callsPerSecond() / each.perSecond());
      table.row(
          fleet.label(),
          range(rounds.spread(fleet, sample -> sample.perSecond() / 1000)),
          RoundsTable.rates(rounds, fleet, bare).text(),
          range(calls),
          Numbers.whole(rounds.samples(fleet).stream().mapToLong(Sample::failed).sum()));
    }
    return table;
  }

  private static String range(Spread spread) {
    return Numbers.three(spread.median())
        + (" (" + Numbers.three(spread.min()) + "–" + Numbers.three(spread.max()) + ")");
  }
}
