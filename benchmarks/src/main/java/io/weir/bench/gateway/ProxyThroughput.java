package io.weir.bench.gateway;

import io.weir.bench.program.Cores;
import io.weir.bench.report.Bar;
import io.weir.bench.report.Section;
import io.weir.bench.server.BenchmarkRequests;
import io.weir.bench.server.LoadGenerator;
import io.weir.bench.server.RunOptions;
import io.weir.bench.server.ServerComparison;
import io.weir.bench.server.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** How many requests per second a gateway forwards or refuses, and what each costs. */
final class ProxyThroughput {
  private static final int CLIENTS = 10_000;

  /** Fewer, so that few of the responses come from refilled permits. */
  private static final int REFUSED_CLIENTS = 1000;

  private static final double SHARE = 0.7;
  private static final String REMAINING = "x-ratelimit-remaining";
  private static final String RETRY_AFTER = "retry-after";
  private static final String PROXY = "proxy";
  private static final String REFUSALS = "refusals";
  private static final String PASSED_ON = "passed on";
  private static final String REFUSED = "refused";

  private final RunOptions<Scenario, Contender> options;
  private final Cores cores;
  private final LoadGenerator loadGenerator;
  private final Gateways gateways;

  ProxyThroughput(
      RunOptions<Scenario, Contender> options,
      Cores cores,
      LoadGenerator loadGenerator,
      Gateways gateways) {
    this.options = options;
    this.cores = cores;
    this.loadGenerator = loadGenerator;
    this.gateways = gateways;
  }

  private ServerComparison<Contender> contest(String name) {
    return new ServerComparison<>(
        "gateway " + name, options.schedule(), loadGenerator, cores, Contender.WEIR);
  }

  /** No request is refused: at full load, and at a fraction of it in an open loop. */
  Section proxy() throws IOException, InterruptedException {
    try (ServerComparison<Contender> serverComparison = contest(PROXY)) {
      for (Contender contender : Contender.values()) {
        if (options.has(contender) && contender != Contender.UNSEEING) {
          serverComparison.enter(
              contender,
              PROXY,
              service(contender, GatewayLimit.PLENTY),
              BenchmarkRequests.allowed(
                  CLIENTS,
                  switch (contender) {
                    case NGINX, NGINX_LIMITING, PLAIN -> BenchmarkRequests.FROM_UPSTREAM;
                    case SPRING, UNSEEING, WEIR -> REMAINING;
                  }),
              SHARE);
        }
      }
      serverComparison.run();
      List<Bar> bars = new ArrayList<>();
      bars.addAll(serverComparison.bars(PROXY, Contender.NGINX_LIMITING, 0.65, 0.9));
      bars.addAll(serverComparison.bars(PROXY, Contender.SPRING, 3.5, 3.5));
      serverComparison.latencyBar(PROXY, Contender.NGINX_LIMITING, 2.5, 1.5).ifPresent(bars::add);
      return Scenario.PROXY.section(
          "%s%nAt %.0f %% of each one's own maximum in the same round:%n%n%s%n%s"
              .formatted(
                  serverComparison.table(PROXY, Contender.NGINX_LIMITING),
                  100 * SHARE,
                  serverComparison.latencies(PROXY),
                  serverComparison.remark()),
          bars);
    }
  }

  /** Nearly all requests are refused, by the contenders that limit. */
  Section refusals() throws IOException, InterruptedException {
    try (ServerComparison<Contender> serverComparison = contest(REFUSALS)) {
      for (Contender contender :
          List.of(Contender.NGINX_LIMITING, Contender.SPRING, Contender.WEIR)) {
        if (options.has(contender)) {
          serverComparison.enter(
              contender,
              REFUSALS,
              service(contender, GatewayLimit.SCARCE),
              BenchmarkRequests.refused(
                  REFUSED_CLIENTS,
                  switch (contender) {
                    case SPRING -> REMAINING;
                    case UNSEEING, WEIR -> RETRY_AFTER;
                    case NGINX, NGINX_LIMITING, PLAIN -> "";
                  }));
        }
      }
      serverComparison.run();
      return Scenario.REFUSALS.section(
          "%s%nLet through, because a minute had passed: %s.%n%n%s"
              .formatted(
                  serverComparison.table(REFUSALS, Contender.NGINX_LIMITING),
                  serverComparison.tolerated(REFUSALS),
                  serverComparison.remark()),
          serverComparison.bars(REFUSALS, Contender.NGINX_LIMITING, 0.7, 0.95));
    }
  }

  /** The same gateway with and without insight. */
  Section seeing() throws IOException, InterruptedException {
    try (ServerComparison<Contender> serverComparison = contest("seeing")) {
      for (Contender contender : List.of(Contender.UNSEEING, Contender.WEIR)) {
        boolean isWatched = contender == Contender.WEIR;
        serverComparison.enter(
            contender,
            PASSED_ON,
            gateways.weir(GatewayLimit.PLENTY, isWatched),
            BenchmarkRequests.allowed(CLIENTS, REMAINING));
        serverComparison.enter(
            contender,
            REFUSED,
            gateways.weir(GatewayLimit.SCARCE, isWatched),
            BenchmarkRequests.refused(REFUSED_CLIENTS, RETRY_AFTER));
      }
      serverComparison.run();
      return Scenario.SEEING.section(
          "%s%n%s%n%s"
              .formatted(
                  serverComparison.table(PASSED_ON, Contender.UNSEEING),
                  serverComparison.table(REFUSED, Contender.UNSEEING),
                  serverComparison.remark()),
          List.of());
    }
  }

  private ServerProcess service(Contender contender, GatewayLimit gatewayLimit) throws IOException {
    return switch (contender) {
      case NGINX -> gateways.nginx();
      case NGINX_LIMITING -> gateways.nginx(gatewayLimit);
      case SPRING -> gateways.spring(gatewayLimit);
      case PLAIN -> gateways.weirWithoutRules();
      case UNSEEING -> gateways.weir(gatewayLimit, false);
      case WEIR -> gateways.weir(gatewayLimit);
    };
  }
}
