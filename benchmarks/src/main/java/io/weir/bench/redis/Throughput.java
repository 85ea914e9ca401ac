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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decisions per second: many keys, one hot key, and one hot key on several nodes. */
final class Throughput {
  private static final int MANY_KEYS = 100_000;
  private static final int NODES = 4;
  private static final long EXACT_LIMIT = 20_000;
  private static final long EXACT_CHECKS = EXACT_LIMIT * 5 / 4;

  private final RedisSetup redisSetup;

  Throughput(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section manyKeys() throws IOException, InterruptedException {
    try (Rounds<Sample> rounds = redisSetup.race("keys")) {
      RedisBenchmark bare = bare(rounds, MANY_KEYS, Allowance.MANY);
      Map<Client, Fleet> fleets =
          fleets(
              rounds,
              redisSetup.among(Client.WEIR, Client.BUCKET4J, Client.REDISSON, Client.SCRIPT),
              1,
              MANY_KEYS,
              Allowance.MANY);
      rounds.run(round -> {});
      Fleet weir = fleets.get(Client.WEIR);
      List<Bar> bars = new ArrayList<>();
      if (weir != null) {
        bars.add(
            atLeast("100k keys: Weir ÷ bare", 0.7, 0.9, RoundsTable.rates(rounds, weir, bare)));
        versus(bars, rounds, fleets, "100k keys", Client.BUCKET4J, 1.8, 1.8);
        versus(bars, rounds, fleets, "100k keys", Client.REDISSON, 2.0, 2.0);
      }
      return section(
          Scenario.KEYS,
          RoundsTable.of(rounds, "100,000 keys, 64 in flight, one node", bare, weir),
          "",
          bars);
    }
  }

  Section hotKey() throws IOException, InterruptedException {
    return hot(
        Scenario.HOT,
        1,
        Client.WEIR,
        Client.BUCKET4J_BATCHING,
        Client.BUCKET4J,
        Client.REDISSON,
        Client.SCRIPT);
  }

  Section nodes() throws IOException, InterruptedException {
    return hot(Scenario.NODES, NODES, Client.WEIR, Client.BUCKET4J_BATCHING, Client.REDISSON);
  }

  private Section hot(Scenario scenario, int nodes, Client... clients)
      throws IOException, InterruptedException {
    try (Rounds<Sample> rounds = redisSetup.race(scenario.id())) {
      RedisBenchmark bare = bare(rounds, 1, Allowance.HOT);
      Map<Client, Fleet> fleets =
          fleets(rounds, redisSetup.among(clients), nodes, 1, Allowance.HOT);
      Map<Fleet, List<Fleet.Counts>> granted = new LinkedHashMap<>();
      rounds.run(
          round -> {
            for (Fleet fleet : fleets.values()) {
              if (fleet.client() != Client.BUCKET4J) { // would take a minute in this state
                granted
                    .computeIfAbsent(fleet, f -> new ArrayList<>())
                    .add(granted(fleet, round, nodes));
                fleet.open("bench", 1, Allowance.HOT);
              }
            }
          });
      String where = nodes == 1 ? "hot key" : "hot key, " + nodes + " nodes";
      Fleet weir = fleets.get(Client.WEIR);
      List<Bar> bars = new ArrayList<>();
      if (weir != null) {
        if (nodes == 1) {
          versus(bars, rounds, fleets, where, Client.BUCKET4J_BATCHING, 1.0, 3.0);
        } else {
          bars.add(
              atLeast(
                  where + ": script calls of Weir ÷ bare",
                  0.7,
                  0.7,
                  rounds.ratio(weir, Sample::callsPerSecond, bare, Sample::perSecond)));
          bars.add(
              atLeast(
                  where + ": decisions of Weir ÷ bare",
                  0.7,
                  0.7,
                  RoundsTable.rates(rounds, weir, bare)));
        }
        bars.add(exact(where, granted.get(weir)));
      }
      StringBuilder exactness = new StringBuilder();
      granted.forEach(
          (fleet, counts) ->
              exactness.append(
                  "\n%s: of %,d permits it granted %s.\n"
                      .formatted(fleet.label(), EXACT_LIMIT, distinct(counts))));
      String title =
          "one hot key, 64 in flight" + (nodes == 1 ? "" : " in each of " + nodes + " nodes");
      return section(
          scenario, RoundsTable.of(rounds, title, bare, weir), exactness.toString(), bars);
    }
  }

  private static String distinct(List<Fleet.Counts> counts) {
    return String.join(
        ", ", counts.stream().map(Fleet.Counts::allowed).distinct().map(Numbers::whole).toList());
  }

  /** The grants of a bucket without refill. */
  private static Fleet.Counts granted(Fleet fleet, int round, int nodes) throws IOException {
    fleet.open("exact-" + round, 1, Allowance.just(EXACT_LIMIT));
    Fleet.Counts counts = fleet.count(EXACT_CHECKS / nodes);
    if (counts.failed() > 0) {
      System.err.println(fleet.label() + ": " + counts.failed() + " checks were not decided");
    }
    return counts;
  }

  /** The deviation from the limit. Undecided checks are ignored: they prove nothing. */
  private static long error(Fleet.Counts counts) {
    return Math.abs(counts.allowed() - EXACT_LIMIT);
  }

  private static Bar exact(String where, List<Fleet.Counts> granted) {
    long worst = granted.stream().mapToLong(Throughput::error).max().orElse(0);
    return new Bar(
        where + ": permits granted too many or too few",
        Bar.Direction.AT_MOST,
        0,
        0,
        worst,
        "%s in %d rounds, %s checks undecided"
            .formatted(
                Numbers.whole(worst),
                granted.size(),
                Numbers.whole(granted.stream().mapToLong(Fleet.Counts::failed).sum())));
  }

  private RedisBenchmark bare(Rounds<Sample> rounds, int keys, Allowance allowance)
      throws IOException {
    RedisBenchmark bare = redisSetup.redisBenchmark(redisSetup.server()).open(keys, allowance);
    rounds.add(bare);
    return bare;
  }

  private Map<Client, Fleet> fleets(
      Rounds<Sample> rounds, List<Client> clients, int nodes, int keys, Allowance allowance)
      throws IOException {
    Map<Client, Fleet> fleets = new LinkedHashMap<>();
    for (Client client : clients) {
      Fleet fleet = redisSetup.fleet(client, redisSetup.server(), nodes);
      rounds.add(fleet);
      fleets.put(client, fleet.open("bench", keys, allowance));
    }
    for (Fleet variant : redisSetup.variants(nodes)) {
      rounds.add(variant.open("bench", keys, allowance));
    }
    return fleets;
  }

  private static void versus(
      List<Bar> bars,
      Rounds<Sample> rounds,
      Map<Client, Fleet> fleets,
      String where,
      Client peer,
      double first,
      double then) {
    Fleet other = fleets.get(peer);
    if (other != null) {
      bars.add(
          atLeast(
              where + ": Weir ÷ " + peer.label(),
              first,
              then,
              RoundsTable.rates(rounds, fleets.get(Client.WEIR), other)));
    }
  }

  private static Bar atLeast(String what, double first, double then, Spread measured) {
    return Bar.of(what, Bar.Direction.AT_LEAST, first, then, measured);
  }

  private Section section(Scenario scenario, MarkdownTable table, String more, List<Bar> bars) {
    String body =
        table + more + "\n" + redisSetup.rounds() + " rounds of " + redisSetup.millis() + " ms.";
    return scenario.section(body, bars);
  }
}
