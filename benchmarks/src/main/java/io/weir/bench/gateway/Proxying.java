package io.weir.bench.gateway;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.contest.Requests;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.contest.Service;
import io.weir.bench.program.Cores;
import io.weir.bench.report.Bar;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** How many requests per second a gateway forwards or refuses, and what each costs. */
final class Proxying {
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
  private final Asker asker;
  private final Gateways gateways;

  Proxying(RunOptions<Scenario, Contender> options, Cores cores, Asker asker, Gateways gateways) {
    this.options = options;
    this.cores = cores;
    this.asker = asker;
    this.gateways = gateways;
  }

  private Contest<Contender> contest(String name) {
    return new Contest<>("gateway " + name, options.schedule(), asker, cores, Contender.WEIR);
  }

  /** No request is refused: at full load, and at a fraction of it in an open loop. */
  Section proxy() throws IOException, InterruptedException {
    try (Contest<Contender> contest = contest(PROXY)) {
      for (Contender contender : Contender.values()) {
        if (options.has(contender) && contender != Contender.UNSEEING) {
          contest.enter(
              contender,
              PROXY,
              service(contender, Quota.PLENTY),
              Requests.allowed(
                  CLIENTS,
                  switch (contender) {
                    case NGINX, NGINX_LIMITING, PLAIN -> Requests.FROM_UPSTREAM;
                    case SPRING, UNSEEING, WEIR -> REMAINING;
                  }),
              SHARE);
        }
      }
      contest.run();
      List<Bar> bars = new ArrayList<>();
      bars.addAll(contest.bars(PROXY, Contender.NGINX_LIMITING, 0.65, 0.9));
      bars.addAll(contest.bars(PROXY, Contender.SPRING, 3.5, 3.5));
      contest.latencyBar(PROXY, Contender.NGINX_LIMITING, 2.5, 1.5).ifPresent(bars::add);
      return Scenario.PROXY.section(
          "%s%nAt %.0f %% of each one's own maximum in the same round:%n%n%s%n%s"
              .formatted(
                  contest.table(PROXY, Contender.NGINX_LIMITING),
                  100 * SHARE,
                  contest.latencies(PROXY),
                  contest.remark()),
          bars);
    }
  }

  /** Nearly all requests are refused, by the contenders that limit. */
  Section refusals() throws IOException, InterruptedException {
    try (Contest<Contender> contest = contest(REFUSALS)) {
      for (Contender contender :
          List.of(Contender.NGINX_LIMITING, Contender.SPRING, Contender.WEIR)) {
        if (options.has(contender)) {
          contest.enter(
              contender,
              REFUSALS,
              service(contender, Quota.SCARCE),
              Requests.refused(
                  REFUSED_CLIENTS,
                  switch (contender) {
                    case SPRING -> REMAINING;
                    case UNSEEING, WEIR -> RETRY_AFTER;
                    case NGINX, NGINX_LIMITING, PLAIN -> "";
                  }));
        }
      }
      contest.run();
      return Scenario.REFUSALS.section(
          "%s%nLet through, because a minute had passed: %s.%n%n%s"
              .formatted(
                  contest.table(REFUSALS, Contender.NGINX_LIMITING),
                  contest.tolerated(REFUSALS),
                  contest.remark()),
          contest.bars(REFUSALS, Contender.NGINX_LIMITING, 0.7, 0.95));
    }
  }

  /** The same gateway with and without insight. */
  Section seeing() throws IOException, InterruptedException {
    try (Contest<Contender> contest = contest("seeing")) {
      for (Contender contender : List.of(Contender.UNSEEING, Contender.WEIR)) {
        boolean isWatched = contender == Contender.WEIR;
        contest.enter(
            contender,
            PASSED_ON,
            gateways.weir(Quota.PLENTY, isWatched),
            Requests.allowed(CLIENTS, REMAINING));
        contest.enter(
            contender,
            REFUSED,
            gateways.weir(Quota.SCARCE, isWatched),
            Requests.refused(REFUSED_CLIENTS, RETRY_AFTER));
      }
      contest.run();
      return Scenario.SEEING.section(
          "%s%n%s%n%s"
              .formatted(
                  contest.table(PASSED_ON, Contender.UNSEEING),
                  contest.table(REFUSED, Contender.UNSEEING),
                  contest.remark()),
          List.of());
    }
  }

  private Service service(Contender contender, Quota quota) throws IOException {
    return switch (contender) {
      case NGINX -> gateways.nginx();
      case NGINX_LIMITING -> gateways.nginx(quota);
      case SPRING -> gateways.spring(quota);
      case PLAIN -> gateways.weirWithoutRules();
      case UNSEEING -> gateways.weir(quota, false);
      case WEIR -> gateways.weir(quota);
    };
  }
}
