package io.weir.bench.gateway;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.program.Cores;
import io.weir.bench.race.Schedule;
import io.weir.bench.report.Bar;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How many requests a second go through a gateway, or are refused by it, and what each costs. */
final class Proxying {
  private static final int CLIENTS = 10_000;

  /** Fewer, so that few of the answers are permits that have come back. */
  private static final int REFUSED_CLIENTS = 1000;

  private static final double SHARE = 0.7;
  private static final String PROXY = "proxy";
  private static final String REFUSALS = "refusals";

  private final Schedule schedule;
  private final Cores cores;
  private final Asker asker;
  private final Gateways gateways;
  private final Set<Contender> only;

  /**
   * @param only who takes part; empty: everybody
   */
  Proxying(Schedule schedule, Cores cores, Asker asker, Gateways gateways, Set<Contender> only) {
    this.schedule = schedule;
    this.cores = cores;
    this.asker = asker;
    this.gateways = gateways;
    this.only = only;
  }

  private boolean has(Contender contender) {
    return only.isEmpty() || only.contains(contender);
  }

  private Contest<Contender> contest(String name) {
    return new Contest<>("gateway " + name, schedule, asker, cores, Contender.WEIR);
  }

  /** Nobody is refused: at full load, and at a part of it by the clock. */
  Section proxy() throws IOException, InterruptedException {
    try (Contest<Contender> contest = contest(PROXY)) {
      for (Contender contender : Contender.values()) {
        if (has(contender)) {
          contest.enter(
              contender,
              PROXY,
              switch (contender) {
                case NGINX -> gateways.nginx();
                case NGINX_LIMITING -> gateways.nginx(Quota.PLENTY);
                case SPRING -> gateways.spring(Quota.PLENTY);
                case PLAIN -> gateways.weirWithoutRules();
                case WEIR -> gateways.weir(Quota.PLENTY);
              },
              Requests.allowed(
                  CLIENTS,
                  switch (contender) {
                    case NGINX, NGINX_LIMITING, PLAIN -> Requests.FROM_UPSTREAM;
                    case SPRING, WEIR -> "x-ratelimit-remaining";
                  }),
              SHARE);
        }
      }
      contest.run();
      List<Bar> bars = new ArrayList<>();
      bars.addAll(contest.bars(PROXY, Contender.NGINX_LIMITING, 0.65, 0.9));
      bars.addAll(contest.bars(PROXY, Contender.SPRING, 3.5, 3.5));
      contest.latencyBar(PROXY, Contender.NGINX_LIMITING, 2.5, 1.5).ifPresent(bars::add);
      return section(
          Scenario.PROXY,
          "%s%nAt %.0f %% of each one's own maximum in the same round:%n%n%s%n%s"
              .formatted(
                  contest.table(PROXY, Contender.NGINX_LIMITING),
                  100 * SHARE,
                  contest.latencies(PROXY),
                  contest.remark()),
          bars);
    }
  }

  /** Nearly everybody is refused. */
  Section refusals() throws IOException, InterruptedException {
    try (Contest<Contender> contest = contest(REFUSALS)) {
      if (has(Contender.NGINX_LIMITING)) {
        contest.enter(
            Contender.NGINX_LIMITING,
            REFUSALS,
            gateways.nginx(Quota.SCARCE),
            Requests.refused(REFUSED_CLIENTS, ""));
      }
      if (has(Contender.SPRING)) {
        contest.enter(
            Contender.SPRING,
            REFUSALS,
            gateways.spring(Quota.SCARCE),
            Requests.refused(REFUSED_CLIENTS, "x-ratelimit-remaining"));
      }
      if (has(Contender.WEIR)) {
        contest.enter(
            Contender.WEIR,
            REFUSALS,
            gateways.weir(Quota.SCARCE),
            Requests.refused(REFUSED_CLIENTS, "retry-after"));
      }
      contest.run();
      return section(
          Scenario.REFUSALS,
          "%s%nLet through, because a minute had passed: %s.%n%n%s"
              .formatted(
                  contest.table(REFUSALS, Contender.NGINX_LIMITING),
                  contest.tolerated(REFUSALS),
                  contest.remark()),
          contest.bars(REFUSALS, Contender.NGINX_LIMITING, 0.7, 0.95));
    }
  }

  private static Section section(Scenario scenario, String body, List<Bar> bars) {
    return new Section(scenario.section(), scenario.title(), body, bars);
  }
}
