package io.weir.bench.service;

import io.weir.bench.contest.Contest;
import io.weir.bench.contest.Service;
import io.weir.bench.load.Question;
import io.weir.bench.report.Bar;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests per second, and the cost of each. */
final class Answering {
  private static final int CALLERS = 10_000;
  private static final String ONE = "1 descriptor";
  private static final String FOUR = "4 descriptors";
  private static final String HOT = "1 descriptor, one key";
  private static final String CHECK = "POST /v1/check";

  private static final double AHEAD = 1;
  private static final double FAR_AHEAD = 5;

  private final Stage stage;
  private final Questions questions = new Questions(CALLERS);
  private final Questions hot = new Questions(1);

  Answering(Stage stage) {
    this.stage = stage;
  }

  /** {@code ShouldRateLimit} with counters in memory. */
  Section inMemory() throws IOException, InterruptedException {
    try (Contest<Contender> contest = stage.contest(Scenario.GRPC.id())) {
      if (stage.has(Contender.FLOOR)) {
        floor(contest, Contender.FLOOR, stage.servers().emptyService());
      }
      if (stage.has(Contender.BARE)) {
        floor(contest, Contender.BARE, stage.servers().bareAnswer());
      }
      if (stage.has(Contender.WEIR)) {
        enter(contest, Contender.WEIR, stage.servers().weir(Rules.envoy()));
      }
      Optional<Path> gubernator = stage.program(Contender.GUBERNATOR);
      if (gubernator.isPresent()) {
        Service service = stage.servers().gubernator(gubernator.get());
        contest.enter(Contender.GUBERNATOR, ONE, service, questions.gubernator(1));
        contest.enter(Contender.GUBERNATOR, HOT, service, hot.gubernator(1));
        contest.enter(Contender.GUBERNATOR, FOUR, service, questions.gubernator(4));
      }
      Optional<Path> limitador = stage.program(Contender.LIMITADOR);
      if (limitador.isPresent()) {
        limitador(contest, descriptors -> stage.servers().limitador(limitador.get(), descriptors));
      }
      contest.run();
      List<Bar> bars = new ArrayList<>();
      bars.addAll(contest.bars(ONE, Contender.FLOOR, 0.75, 0.9));
      bars.addAll(contest.bars(FOUR, Contender.FLOOR, 0.6, 0.9));
      for (String group : List.of(ONE, HOT, FOUR)) {
        bars.addAll(contest.bars(group, Contender.GUBERNATOR, AHEAD, FAR_AHEAD));
        bars.addAll(contest.bars(group, Contender.LIMITADOR, AHEAD, FAR_AHEAD));
      }
      return section(
          Scenario.GRPC,
          "%s%n%s%n%s%n"
              .formatted(
                  contest.table(ONE, Contender.FLOOR),
                  contest.table(FOUR, Contender.FLOOR),
                  contest.table(HOT, Contender.FLOOR)),
          contest,
          bars);
    }
  }

  /** {@code /v1/check} with counters in memory. */
  Section check() throws IOException, InterruptedException {
    try (Contest<Contender> contest = stage.contest(Scenario.HTTP.id())) {
      Question question = questions.check();
      if (stage.has(Contender.FLOOR)) {
        contest.enter(Contender.FLOOR, CHECK, stage.servers().plainHttp(), question);
      }
      if (stage.has(Contender.WEIR)) {
        contest.enter(Contender.WEIR, CHECK, stage.servers().weir(Rules.check()), question);
      }
      contest.run();
      return section(
          Scenario.HTTP,
          contest.table(CHECK, Contender.FLOOR) + "\n",
          contest,
          contest.bars(CHECK, Contender.FLOOR, 0.7, 0.85));
    }
  }

  /** {@code ShouldRateLimit} with counters in Redis. */
  Section onRedis() throws IOException, InterruptedException {
    try (Contest<Contender> contest = stage.contest(Scenario.REDIS.id())) {
      if (stage.has(Contender.WEIR)) {
        enter(contest, Contender.WEIR, stage.servers().weirOnRedis(Rules.envoy()));
      }
      Optional<Path> ratelimit = stage.program(Contender.RATELIMIT);
      if (ratelimit.isPresent()) {
        enter(contest, Contender.RATELIMIT, stage.servers().ratelimit(ratelimit.get()));
      }
      Optional<Path> limitador = stage.program(Contender.LIMITADOR);
      if (limitador.isPresent()) {
        limitador(
            contest, descriptors -> stage.servers().limitadorOnRedis(limitador.get(), descriptors));
      }
      contest.run();
      List<Bar> bars = new ArrayList<>();
      for (String group : List.of(ONE, HOT, FOUR)) {
        bars.addAll(contest.bars(group, Contender.RATELIMIT, AHEAD, FAR_AHEAD));
        bars.addAll(contest.bars(group, Contender.LIMITADOR, AHEAD, FAR_AHEAD));
      }
      return section(
          Scenario.REDIS,
          "%s%n%s%n%s%n"
              .formatted(
                  contest.table(ONE, Contender.RATELIMIT),
                  contest.table(FOUR, Contender.RATELIMIT),
                  contest.table(HOT, Contender.RATELIMIT)),
          contest,
          bars);
    }
  }

  /** Adds a contender for which all keys are equal. */
  private void floor(Contest<Contender> contest, Contender contender, Service service) {
    contest.enter(contender, ONE, service, questions.rls(1));
    contest.enter(contender, FOUR, service, questions.rls(4));
  }

  /** Uses one server for all kinds of requests. */
  private void enter(Contest<Contender> contest, Contender contender, Service service) {
    contest.enter(contender, ONE, service, questions.rlsDecided(1));
    contest.enter(contender, HOT, service, hot.rlsDecided(1));
    contest.enter(contender, FOUR, service, questions.rlsDecided(4));
  }

  private interface LimitadorStarter {
    Service start(int descriptors) throws IOException;
  }

  /**
   * Its limits refer to descriptors by position, so each number of descriptors needs its own
   * server.
   */
  private void limitador(Contest<Contender> contest, LimitadorStarter starter) throws IOException {
    Service one = starter.start(1);
    contest.enter(Contender.LIMITADOR, ONE, one, questions.rls(1));
    contest.enter(Contender.LIMITADOR, HOT, one, hot.rls(1));
    contest.enter(Contender.LIMITADOR, FOUR, starter.start(4), questions.rls(4));
  }

  private static Section section(
      Scenario scenario, String tables, Contest<Contender> contest, List<Bar> bars) {
    return scenario.section(tables + contest.remark(), bars);
  }
}
