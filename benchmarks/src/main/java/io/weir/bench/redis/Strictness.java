package io.weir.bench.redis;

import io.weir.bench.fork.Answer;
import io.weir.bench.program.RedisServer;
import io.weir.bench.race.Race;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
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

  private final Stage stage;

  Strictness(Stage stage) {
    this.stage = stage;
  }

  Section run() throws IOException, InterruptedException {
    RedisServer forExact = stage.server();
    RedisServer forStrict = stage.server();
    try (RedisServer ofExact = stage.replicaOf(forExact);
        RedisServer ofStrict = stage.replicaOf(forStrict);
        Race<Sample> race = stage.race("strict")) {
      Fleet exact = stage.fleet(Client.WEIR, forExact, 1, "replicas=1&timeout=1s");
      race.add(exact);
      exact.open("bench", KEYS, SHORT);
      Fleet strict = stage.fleet(Client.STRICT, forStrict, 1, "replicas=1&timeout=1s");
      race.add(strict);
      strict.open("bench", KEYS, SHORT);
      List<Answer> exactly = new ArrayList<>();
      List<Answer> strictly = new ArrayList<>();
      race.run(
          round -> {
            exactly.add(latency(exact, half(race, exact)));
            strictly.add(latency(strict, half(race, strict)));
          });
      return ScaleScenario.STRICT.section(
          "%s keys, 64 in flight, one node, replicas %s and %s; %d rounds of %d ms.\n\n%s"
              .formatted(
                  Numbers.whole(KEYS),
                  ofExact.port(),
                  ofStrict.port(),
                  stage.rounds(),
                  stage.millis(),
                  table(race, exact, exactly, strict, strictly)),
          List.of(
              Bar.of(
                  "strict ÷ exact",
                  Bar.Direction.AT_LEAST,
                  0.4,
                  0.7,
                  RaceTable.rates(race, strict, exact)),
              Bar.of(
                  "strict: p99 at half load, ms", Bar.Direction.AT_MOST, 10, 10, p99(strictly))));
    }
  }

  /** Half of its throughput in this round. */
  private static double half(Race<Sample> race, Fleet fleet) {
    List<Sample> samples = race.samples(fleet);
    return samples.get(samples.size() - 1).perSecond() / 2;
  }

  private Answer latency(Fleet fleet, double rate) throws IOException, InterruptedException {
    long start = System.nanoTime() + HEAD_START_NANOS;
    return stage.watch(() -> fleet.ask("latency", "latency", start, rate, stage.millis()));
  }

  private static Spread p99(List<Answer> answers) {
    return Spread.of(answers.stream().mapToDouble(answer -> answer.number(1) / 1e6).toArray());
  }

  private static MarkdownTable table(
      Race<Sample> race, Fleet exact, List<Answer> exactly, Fleet strict, List<Answer> strictly) {
    MarkdownTable table = new MarkdownTable("", "thousand/s", "p99 at half load, ms", "undecided");
    row(table, race, exact, exactly);
    row(table, race, strict, strictly);
    return table;
  }

  private static void row(
      MarkdownTable table, Race<Sample> race, Fleet fleet, List<Answer> answers) {
    table.row(
        fleet.label(),
        race.spread(fleet, sample -> sample.perSecond() / 1000).text(),
        p99(answers).text(),
        Numbers.whole(
            race.samples(fleet).stream().mapToLong(Sample::failed).sum()
                + answers.stream().mapToLong(answer -> answer.whole(4)).sum()));
  }
}
