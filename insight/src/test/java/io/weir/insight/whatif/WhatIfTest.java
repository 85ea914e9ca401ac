package io.weir.insight.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.insight.CallerHistory;
import io.weir.insight.CallerKey;
import io.weir.insight.InsightsFixture;
import io.weir.insight.RankingKind;
import io.weir.insight.RankingWindow;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Recorded demand, and what another limit would make of it. */
@Tag("slow")
class WhatIfTest {
  private static final Instant START = Instant.parse("2026-11-16T12:00:00Z");

  @Test
  void recordsRefusedRequests() {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 2 per hour } ]");
    insightsFixture.request("a", 5).pass(Duration.ofSeconds(3)).request("a", 4).request("b", 1);

    RecordedDemand recordedDemand =
        insightsFixture.query(
            () -> insightsFixture.insights.topCallers().demand("r", "", Resolution.FIVE_MINUTES));

    assertThat(recordedDemand.requests()).isEqualTo(10);
    assertThat(recordedDemand.refusals()).isEqualTo(7);
    assertThat(recordedDemand.callers())
        .extracting(RecordedDemand.OfCaller::requests)
        .contains(9L, 1L);
    assertThat(recordedDemand.share()).isEqualTo(1);
    assertThat(recordedDemand.requestsBySlot()).endsWith(5, 0, 0, 5);
  }

  @Test
  void callerHasAHistoryAtEachResolution() {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 2 per hour } ]");
    insightsFixture.request("somebody", 5).pass(Duration.ofMinutes(2)).request("somebody", 1);
    CallerKey callerKey =
        insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR).get(0).callerKey();
    assertThat(
            insightsFixture.query(
                () -> insightsFixture.insights.topCallers().find("r", callerKey.id())))
        .contains(callerKey);
    assertThat(
            insightsFixture.query(
                () -> insightsFixture.insights.topCallers().find("r", "0".repeat(16))))
        .isEmpty();
    for (Resolution resolution : Resolution.values()) {
      CallerHistory history =
          insightsFixture
              .query(
                  () -> insightsFixture.insights.topCallers().chronicle("r", callerKey, resolution))
              .orElseThrow();
      assertThat(RecordedDemand.sum(history.asked())).as(resolution.toString()).isEqualTo(6);
      assertThat(RecordedDemand.sum(history.refused())).isEqualTo(4);
      assertThat(history.sinceMillis()).isEqualTo(START.toEpochMilli());
      assertThat(history.endMillis() - history.startMillis())
          .isEqualTo(history.asked().length * resolution.stepMillis());
    }
  }

  /** All callers are recorded here; only the times within a second are unknown. */
  @ParameterizedTest
  @CsvSource({
    "token-bucket, 5 per second, 3 per second, 6",
    "token-bucket, 5 per second, 20 per second, 40",
    "token-bucket, 5 per second, 1 per second,",
    "fixed-window, 20 per 10s, 35 per 10s,",
    "sliding-window, 20 per 10s, 12 per 10s,",
    "sliding-log, 20 per 10s, 30 per 10s,",
    "sliding-epochs, 20 per 10s, 15 per 10s,",
    "leaky-bucket, 5 per second, 3 per second, 10",
  })
  void theTruthIsWithinTheBounds(String algorithm, String before, String after, String burst) {
    List<Visit> visits = visits(new Random(5), 60, 200);
    InsightsFixture insightsFixture = rule(algorithm, before);
    play(insightsFixture, visits);

    Proposal proposal =
        Proposal.read(
            insightsFixture.decisionEngine.rules().rules().get(0), Optional.empty(), after, burst);
    RecordedDemand recordedDemand =
        insightsFixture.query(
            () -> insightsFixture.insights.topCallers().demand("r", "", Resolution.FIVE_MINUTES));
    Forecast forecast = WhatIf.play(recordedDemand, proposal);
    Truth truth = truth(visits, proposal.limits());

    assertThat(forecast.callers()).isEqualTo(60);
    Truth now = truth(visits, proposal.rule().limits());
    assertThat((double) forecast.refusedNow())
        .isBetween(now.callers.size() - 5.0, now.callers.size() + 5.0);
    assertThat((double) forecast.requestsRefusedNow())
        .isBetween(now.requests - 0.1 * visits.size(), now.requests + 0.1 * visits.size());
    assertThat(forecast.shareOfDemand()).isEqualTo(1);
    double slack = 0.02 * visits.size();
    assertThat((double) truth.requests)
        .isBetween(
            forecast.refusedRequests().low() - slack, forecast.refusedRequests().high() + slack);
    assertThat((double) truth.callers.size())
        .isBetween(forecast.refusedCallers().low() - 2.0, forecast.refusedCallers().high() + 2.0);
  }

  /** Ten in each second, evenly or all at once: far from the estimate, but within its bounds. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theBoundsCoverWheneverRequestsCame(boolean atOnce) {
    List<Visit> visits = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      visits.add(new Visit("caller", atOnce ? i / 10 * 1000 : i * 100));
    }
    InsightsFixture insightsFixture = rule("token-bucket", "100 per second");
    play(insightsFixture, visits);
    Proposal proposal =
        Proposal.read(
            insightsFixture.decisionEngine.rules().rules().get(0),
            Optional.empty(),
            "10 per second",
            "2");
    RecordedDemand recordedDemand =
        insightsFixture.query(
            () -> insightsFixture.insights.topCallers().demand("r", "", Resolution.FIVE_MINUTES));
    Forecast.Estimate refused = WhatIf.play(recordedDemand, proposal).refusedRequests();
    long truth = truth(visits, proposal.limits()).requests;

    assertThat(truth).isEqualTo(atOnce ? 160 : 0);
    assertThat(truth).isBetween(refused.low(), refused.high());
    assertThat(refused.value()).isBetween(10L, 150L);
  }

  @Test
  void theCurveFallsAndMeetsTheForecast() {
    List<Visit> visits = visits(new Random(3), 60, 120);
    InsightsFixture insightsFixture = rule("token-bucket", "5 per second");
    play(insightsFixture, visits);
    Proposal proposal =
        Proposal.read(
            insightsFixture.decisionEngine.rules().rules().get(0),
            Optional.empty(),
            "8 per second",
            null);
    Forecast forecast =
        WhatIf.play(
            insightsFixture.query(
                () ->
                    insightsFixture.insights.topCallers().demand("r", "", Resolution.FIVE_MINUTES)),
            proposal);

    List<Forecast.Point> curve = forecast.curve();
    assertThat(curve.size()).isBetween(15, 45);
    assertThat(curve).isSortedAccordingTo((a, b) -> Long.compare(a.value(), b.value()));
    assertThat(curve).isSortedAccordingTo((a, b) -> Long.compare(b.requests(), a.requests()));
    assertThat(curve.get(0).requests()).isPositive();
    assertThat(curve.get(curve.size() - 1).requests()).isZero();
    assertThat(curve)
        .filteredOn(point -> point.value() == 8)
        .allSatisfy(
            point ->
                assertThat(point.requests())
                    .isBetween(
                        forecast.refusedRequests().low(), forecast.refusedRequests().high()));
  }

  /** 20,000 callers, of which a few hundred are recorded; with 20 samples, one may be off. */
  @Test
  void sampleRepresentsAllCallers() {
    List<Visit> visits = visits(new Random(11), 20_000, 20);
    Truth truth = truth(visits, List.of(Limit.fixedWindow(4).perHour()));
    int good = 0;
    for (int secret = 0; secret < 5; secret++) {
      InsightsFixture insightsFixture =
          new InsightsFixture(
              InsightsFixture.rules(
                  "rules: [{ name: r, per: user, limit: { algorithm: fixed-window, rate: 1 per hour"
                      + " }}]"),
              secret);
      play(insightsFixture, visits);
      RecordedDemand recordedDemand =
          insightsFixture.query(
              () -> insightsFixture.insights.topCallers().demand("r", "", Resolution.FIVE_MINUTES));
      Forecast forecast =
          WhatIf.play(
              recordedDemand,
              Proposal.read(
                  insightsFixture.decisionEngine.rules().rules().get(0),
                  Optional.empty(),
                  "4 per hour",
                  null));

      assertThat(recordedDemand.callers().size()).isLessThanOrEqualTo(1024);
      assertThat(recordedDemand.share()).isLessThan(0.1);
      assertThat((double) forecast.callers()).isBetween(0.8 * 20_000, 1.2 * 20_000);
      good += isWithin(truth.callers.size(), forecast.refusedCallers()) ? 1 : 0;
      good += isWithin(truth.requests, forecast.refusedRequests()) ? 1 : 0;
    }
    assertThat(good).as("of 10 intervals").isGreaterThanOrEqualTo(8);
  }

  private static boolean isWithin(long truth, Forecast.Estimate estimate) {
    return truth >= estimate.low() && truth <= estimate.high();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "many",
        "5",
        "5 per",
        "per second",
        "-1 per second",
        "5 per fortnight",
        "5 per second } ] # ",
        "5 per second, burst: 3",
        "99999999999999999 per second",
        "1 per 1ms1ms",
        "5 per \nsecond",
        "5 per 100000d",
      })
  void rejectsInvalidLimits(String text) {
    Rule rule = rule("token-bucket", "5 per second").decisionEngine.rules().rules().get(0);
    assertThatThrownBy(() -> Proposal.read(rule, Optional.empty(), text, null))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("'limit'");
  }

  /** Values that are not given change in proportion to the limit. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rate: 10 per second, burst: 100                     | 10 per second |   | 10 per second, burst 100
          rate: 10 per second, burst: 100                     | 20 per second |   | 20 per second, burst 200
          rate: 10 per second, burst: 100                     | 600/minute    |   | 600 per minute, burst 100
          rate: 10 per second, burst: 100                     | 10 per second | 5 | 10 per second, burst 5
          rate: 10 per second                                 | 7 per second  |   | 7 per second
          rate: 10 per second                                 | 600/minute    |   | 600 per minute
          algorithm: leaky-bucket, rate: 4 per minute, queue: 8 | 2 per minute |  | leaky-bucket 2 per minute, queue 4
          algorithm: leaky-bucket, rate: 4 per minute, queue: 8 | 2 per minute | 9 | leaky-bucket 2 per minute, queue 9
          algorithm: sliding-log, rate: 4 per hour            | 3 per hour    |   | sliding-log 3 per hour
          algorithm: fixed-window, rate: 4 per day, zone: Asia/Tokyo | 3 per day | | fixed-window 3 per day, zone Asia/Tokyo
          """)
  void burstIsProportionalUnlessGiven(String now, String rate, String burst, String proposed) {
    Rule rule =
        InsightsFixture.rules("rules: [ { name: r, limit: { " + now + " } } ]").rules().get(0);
    Proposal proposal = Proposal.read(rule, Optional.empty(), rate, burst);
    assertThat(LimitFormatter.of(proposal.limit())).isEqualTo(proposed);
    assertThat(proposal.scaled(proposal.limit().permits())).contains(proposal.limit());
    if (burst == null) {
      assertThat(proposal.scaled(proposal.present()).map(Limit::period))
          .contains(proposal.limit().period());
    }
  }

  /** Calendar periods differ: a year is not a month, and a month is not 30 days. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1200 per year  | 1 | fixed-window 1200 per year  | 1000
          120 per month  | 0 | fixed-window 120 per month  | 100
          120 per 720h   | 0 | fixed-window 120 per 720h   | 100
          20 per week    | 0 | fixed-window 20 per week    | 23
          """)
  void distinguishesMonthsFromYears(String rate, int at, String proposed, long present) {
    Rule rule =
        InsightsFixture.rules(
                "rules: [ { name: r, limits: [ { algorithm: fixed-window, rate: 100 per month },"
                    + " { algorithm: fixed-window, rate: 1000 per year } ] } ]")
            .rules()
            .get(0);
    Proposal proposal = Proposal.read(rule, Optional.empty(), rate, null);
    assertThat(proposal.at()).isEqualTo(at);
    assertThat(LimitFormatter.of(proposal.limit())).isEqualTo(proposed);
    assertThat(proposal.present()).isEqualTo(present);
    assertThat(proposal.scaled(proposal.limit().permits())).contains(proposal.limit());
  }

  /** The current limit is simulated, even if an older limit made the recorded refusals. */
  @Test
  void simulatesTheCurrentLimit() {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 2 per hour } ]");
    insightsFixture.request("a", 10);
    insightsFixture.thread.runRound();
    insightsFixture.limiter.reload(
        InsightsFixture.rules("rules: [ { name: r, per: user, limit: 100 per hour } ]"));
    Proposal proposal =
        Proposal.read(
            insightsFixture.decisionEngine.rules().rules().get(0),
            Optional.empty(),
            "100 per hour",
            null);
    Forecast forecast =
        WhatIf.play(
            insightsFixture.query(
                () ->
                    insightsFixture.insights.topCallers().demand("r", "", Resolution.FIVE_MINUTES)),
            proposal);
    assertThat(forecast.recordedDemand().requests()).isEqualTo(10);
    assertThat(forecast.refusedNow()).isZero();
    assertThat(forecast.requestsRefusedNow()).isZero();
    assertThat(forecast.refusedRequests().value()).isZero();
  }

  @Test
  void aSnippetIsTheLimitOfARule() {
    RuleSet rules =
        InsightsFixture.rules(
            """
            rules:
              - name: one
                per: [user, path]
                match: { path: /api }
                mode: shadow
                limits:
                  - { rate: 5 per second, burst: 50 }
                  - { algorithm: fixed-window, rate: 100 per day, zone: Europe/Paris }
                  - { algorithm: sliding-epochs, rate: 500 per 15m, epochs: 15 }
            """);
    Proposal proposal = Proposal.read(rules.rules().get(0), Optional.empty(), "1000 per 15m", null);
    assertThat(proposal.at()).isEqualTo(2);
    String snippet = Snippet.of(proposal, null);
    assertThat(snippet)
        .startsWith("# rule 'one', rules.yaml:2: replace its limit by\nlimits:\n")
        .doesNotContain("per: ")
        .doesNotContain("name: ");
    String again = "rules:\n- name: r\n" + snippet.indent(2);
    assertThat(InsightsFixture.rules(again).rules().get(0).limits()).isEqualTo(proposal.limits());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unit: second, requests_per_unit: 5                          | 9 per second
          window: 15m, requests_per_unit: 5                           | 9 per 15m
          unit: day, requests_per_unit: 5                             | 9 per 24h
          algorithm: token-bucket, unit: minute, requests_per_unit: 5, burst: 10 | 9 per minute
          """)
  void aSnippetIsInTheFormOfItsFile(String limit, String other) {
    String file =
        """
        domain: edge
        descriptors:
          - key: user
            %s
        """;
    RuleSet rules = InsightsFixture.rules(file.formatted("rate_limit: { " + limit + " }"));
    Rule rule = rules.domains().get(0).allRules().get(0);
    Proposal proposal = Proposal.read(rule, Optional.empty(), other, null);
    String snippet = Snippet.of(proposal, null);
    assertThat(snippet).startsWith("# rule 'edge.user', rules.yaml:3: replace its rate_limit");
    String line = snippet.lines().skip(1).findFirst().orElseThrow();
    Rule again = InsightsFixture.rules(file.formatted(line)).domains().get(0).allRules().get(0);
    assertThat(again.limits()).isEqualTo(proposal.limits());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          default      | 20 per second | 20
          tier:free    | 1 per 8s      | 0.125
          endpoint:/in | 1 per 3s      | 0.333333333
          """)
  void aSnippetForTiersHasTheirTwoNumbers(String name, String limit, String rate) {
    String file =
        """
        rate_limits:
          default: { bucket_capacity: 10, refill_rate: 5 }
          tiers:
            free: { bucket_capacity: 10, refill_rate: 5 }
          endpoint_overrides:
            /in: { bucket_capacity: 10, refill_rate: 5 }
        """;
    RuleSet rules = InsightsFixture.rules(file);
    Rule rule =
        rules.rules().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    String snippet = Snippet.of(Proposal.read(rule, Optional.empty(), limit, "7"), null);
    assertThat(snippet)
        .startsWith("# rule '" + name + "'")
        .endsWith("bucket_capacity: 7\nrefill_rate: " + rate + "\n");
  }

  private static InsightsFixture rule(String algorithm, String rate) {
    return new InsightsFixture(
        "rules: [ { name: r, per: user, limit: { algorithm: %s, rate: %s } } ]"
            .formatted(algorithm, rate));
  }

  /** Within four minutes, some callers far more often than others; in the order of time. */
  private static List<Visit> visits(Random random, int callers, int maxRequests) {
    List<Visit> all = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      int times = 1 + (int) (maxRequests / (1 + i % 40.0)) + random.nextInt(3);
      int from = random.nextInt(200_000);
      for (int j = 0; j < times; j++) {
        all.add(new Visit("caller-" + i, from + random.nextInt(20_000)));
      }
    }
    all.sort((a, b) -> Integer.compare(a.millis, b.millis));
    return all;
  }

  private static void play(InsightsFixture insightsFixture, List<Visit> visits) {
    int last = 0;
    for (Visit visit : visits) {
      if (visit.millis / 50 != last / 50) {
        insightsFixture.thread.runRound();
      }
      last = visit.millis;
      insightsFixture.time.set(START.plusMillis(visit.millis));
      insightsFixture.request(visit.caller, 1);
    }
    insightsFixture.thread.runRound();
  }

  private static Truth truth(List<Visit> visits, List<Limit> limits) {
    ManualTime time = TimeSource.manual();
    RateLimiter.Builder builder = RateLimiter.builder().time(time);
    limits.forEach(builder::limit);
    RateLimiter limiter = builder.build();
    Set<String> refused = new HashSet<>();
    Map<Boolean, Integer> requests = new HashMap<>();
    for (Visit visit : visits) {
      time.set(START.plusMillis(visit.millis));
      boolean isAllowed = limiter.tryAcquire(visit.caller);
      requests.merge(isAllowed, 1, Integer::sum);
      if (!isAllowed) {
        refused.add(visit.caller);
      }
    }
    return new Truth(requests.getOrDefault(false, 0), refused);
  }

  private record Visit(String caller, int millis) {}

  private record Truth(long requests, Set<String> callers) {}
}
