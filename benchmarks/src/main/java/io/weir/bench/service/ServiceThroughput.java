package io.weir.bench.service;

import io.weir.bench.load.RequestTemplate;
import io.weir.bench.report.Bar;
import io.weir.bench.report.Section;
import io.weir.bench.server.ServerComparison;
import io.weir.bench.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests per second, and the cost of each. */
final class ServiceThroughput {
  private static final int CALLERS = 10_000;
  private static final String ONE = "1 descriptor";
  private static final String FOUR = "4 descriptors";
  private static final String HOT = "1 descriptor, one key";
  private static final String CHECK = "POST /v1/check";

  private static final double AHEAD = 1;
  private static final double FAR_AHEAD = 5;

  private final ServiceSetup serviceSetup;
  private final ServiceRequests serviceRequests = new ServiceRequests(CALLERS);
  private final ServiceRequests hot = new ServiceRequests(1);

  ServiceThroughput(ServiceSetup serviceSetup) {
    this.serviceSetup = serviceSetup;
  }

  /** {@code ShouldRateLimit} with counters in memory. */
  Section inMemory() throws IOException, InterruptedException {
    try (ServerComparison<Contender> serverComparison = serviceSetup.contest(Scenario.GRPC.id())) {
      if (serviceSetup.has(Contender.FLOOR)) {
        floor(serverComparison, Contender.FLOOR, serviceSetup.servers().emptyService());
      }
      if (serviceSetup.has(Contender.BARE)) {
        floor(serverComparison, Contender.BARE, serviceSetup.servers().bareResponse());
      }
      if (serviceSetup.has(Contender.WEIR)) {
        enter(serverComparison, Contender.WEIR, serviceSetup.servers().weir(Rules.envoy()));
      }
      Optional<Path> gubernator = serviceSetup.program(Contender.GUBERNATOR);
      if (gubernator.isPresent()) {
        ServerProcess serverProcess = serviceSetup.servers().gubernator(gubernator.get());
        serverComparison.enter(
            Contender.GUBERNATOR, ONE, serverProcess, serviceRequests.gubernator(1));
        serverComparison.enter(Contender.GUBERNATOR, HOT, serverProcess, hot.gubernator(1));
        serverComparison.enter(
            Contender.GUBERNATOR, FOUR, serverProcess, serviceRequests.gubernator(4));
      }
      Optional<Path> limitador = serviceSetup.program(Contender.LIMITADOR);
      if (limitador.isPresent()) {
        limitador(
            serverComparison,
            descriptors -> serviceSetup.servers().limitador(limitador.get(), descriptors));
      }
      serverComparison.run();
      List<Bar> bars = new ArrayList<>();
      bars.addAll(serverComparison.bars(ONE, Contender.FLOOR, 0.75, 0.9));
      bars.addAll(serverComparison.bars(FOUR, Contender.FLOOR, 0.6, 0.9));
      for (String group : List.of(ONE, HOT, FOUR)) {
        bars.addAll(serverComparison.bars(group, Contender.GUBERNATOR, AHEAD, FAR_AHEAD));
        bars.addAll(serverComparison.bars(group, Contender.LIMITADOR, AHEAD, FAR_AHEAD));
      }
      return section(
          Scenario.GRPC,
          "%s%n%s%n%s%n"
              .formatted(
                  serverComparison.table(ONE, Contender.FLOOR),
                  serverComparison.table(FOUR, Contender.FLOOR),
                  serverComparison.table(HOT, Contender.FLOOR)),
          serverComparison,
          bars);
    }
  }

  /** {@code /v1/check} with counters in memory. */
  Section check() throws IOException, InterruptedException {
    try (ServerComparison<Contender> serverComparison = serviceSetup.contest(Scenario.HTTP.id())) {
      RequestTemplate requestTemplate = serviceRequests.check();
      if (serviceSetup.has(Contender.FLOOR)) {
        serverComparison.enter(
            Contender.FLOOR, CHECK, serviceSetup.servers().plainHttp(), requestTemplate);
      }
      if (serviceSetup.has(Contender.WEIR)) {
        serverComparison.enter(
            Contender.WEIR, CHECK, serviceSetup.servers().weir(Rules.check()), requestTemplate);
      }
      serverComparison.run();
      return section(
          Scenario.HTTP,
          serverComparison.table(CHECK, Contender.FLOOR) + "\n",
          serverComparison,
          serverComparison.bars(CHECK, Contender.FLOOR, 0.7, 0.85));
    }
  }

  /** {@code ShouldRateLimit} with counters in Redis. */
  Section onRedis() throws IOException, InterruptedException {
    try (ServerComparison<Contender> serverComparison = serviceSetup.contest(Scenario.REDIS.id())) {
      if (serviceSetup.has(Contender.WEIR)) {
        enter(serverComparison, Contender.WEIR, serviceSetup.servers().weirOnRedis(Rules.envoy()));
      }
      Optional<Path> ratelimit = serviceSetup.program(Contender.RATELIMIT);
      if (ratelimit.isPresent()) {
        enter(
            serverComparison,
            Contender.RATELIMIT,
            serviceSetup.servers().ratelimit(ratelimit.get()));
      }
      Optional<Path> limitador = serviceSetup.program(Contender.LIMITADOR);
      if (limitador.isPresent()) {
        limitador(
            serverComparison,
            descriptors -> serviceSetup.servers().limitadorOnRedis(limitador.get(), descriptors));
      }
      serverComparison.run();
      List<Bar> bars = new ArrayList<>();
      for (String group : List.of(ONE, HOT, FOUR)) {
        bars.addAll(serverComparison.bars(group, Contender.RATELIMIT, AHEAD, FAR_AHEAD));
        bars.addAll(serverComparison.bars(group, Contender.LIMITADOR, AHEAD, FAR_AHEAD));
      }
      return section(
          Scenario.REDIS,
          "%s%n%s%n%s%n"
              .formatted(
                  serverComparison.table(ONE, Contender.RATELIMIT),
                  serverComparison.table(FOUR, Contender.RATELIMIT),
                  serverComparison.table(HOT, Contender.RATELIMIT)),
          serverComparison,
          bars);
    }
  }

  /** Adds a contender for which all keys are equal. */
  private void floor(
      ServerComparison<Contender> serverComparison,
      Contender contender,
      ServerProcess serverProcess) {
    serverComparison.enter(contender, ONE, serverProcess, serviceRequests.rls(1));
    serverComparison.enter(contender, FOUR, serverProcess, serviceRequests.rls(4));
  }

  /** Uses one server for all kinds of requests. */
  private void enter(
      ServerComparison<Contender> serverComparison,
      Contender contender,
      ServerProcess serverProcess) {
    serverComparison.enter(contender, ONE, serverProcess, serviceRequests.rlsDecided(1));
    serverComparison.enter(contender, HOT, serverProcess, hot.rlsDecided(1));
    serverComparison.enter(contender, FOUR, serverProcess, serviceRequests.rlsDecided(4));
  }

  private interface LimitadorStarter {
    ServerProcess start(int descriptors) throws IOException;
  }

  /**
   * Its limits refer to descriptors by position, so each number of descriptors needs its own
   * server.
   */
  private void limitador(ServerComparison<Contender> serverComparison, LimitadorStarter starter)
      throws IOException {
    ServerProcess one = starter.start(1);
    serverComparison.enter(Contender.LIMITADOR, ONE, one, serviceRequests.rls(1));
    serverComparison.enter(Contender.LIMITADOR, HOT, one, hot.rls(1));
    serverComparison.enter(Contender.LIMITADOR, FOUR, starter.start(4), serviceRequests.rls(4));
  }

  private static Section section(
      Scenario scenario,
      String tables,
      ServerComparison<Contender> serverComparison,
      List<Bar> bars) {
    return scenario.section(tables + serverComparison.remark(), bars);
  }
}
