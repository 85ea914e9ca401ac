package io.weir.insight.series;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RequestOutcome;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import io.weir.rules.Domain;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The history equals the counters. */
class DecisionHistoryTest {
  private static final long START = 1_790_000_000; // a multiple of 10, and not of 300

  private static final String TWO =
      """
      rules:
        - { name: a, match: { path: /a }, per: user, limit: 3 per hour }
        - { name: b, match: { path: /b }, mode: shadow, limit: 2 per hour }
      """;

  private final RequestLimiter limiter = RequestLimiter.builder(rules(TWO)).build();
  private final DecisionEngine decisionEngine = new DecisionEngine(limiter, new DecisionCounters());

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  private DecisionHistory history(long second) {
    return new DecisionHistory(decisionEngine.decisionCounters(), decisionEngine::rules, second);
  }

  private void request(String path, int times) {
    for (int i = 0; i < times; i++) {
      decisionEngine.decide(Map.of("path", path, "user", "u")::get).toCompletableFuture().join();
    }
  }

  /** The decisions of all rules. */
  private static Chart together(DecisionHistory decisionHistory, SeriesRange seriesRange) {
    return decisionHistory.byRule(seriesRange, 0);
  }

  private static long[] of(Chart chart, int line, RuleOutcome ruleOutcome) {
    return chart.lines().get(line).counts()[ruleOutcome.ordinal()];
  }

  /** {@code 299=3} if the last of 300 slots has 3 and all others are zero. */
  private static String text(long[] counts) {
    return IntStream.range(0, counts.length)
        .filter(i -> counts[i] != 0)
        .mapToObj(i -> i + "=" + counts[i])
        .collect(Collectors.joining(" "));
  }

  @Test
  void eachSecondHasItsOwn() {
    DecisionHistory decisionHistory = history(START);
    request("/a", 2);
    decisionHistory.read(START);
    request("/a", 3);
    request("/b", 3);
    decisionHistory.read(START + 1);
    decisionHistory.read(START + 2);
    request("/a", 1);
    decisionHistory.read(START + 12);

    Chart seconds = together(decisionHistory, SeriesRange.MINUTES);
    assertThat(text(of(seconds, 0, RuleOutcome.ALLOWED))).isEqualTo("287=2 288=3");
    assertThat(text(of(seconds, 0, RuleOutcome.DENIED))).isEqualTo("288=2 299=1");
    assertThat(text(of(seconds, 0, RuleOutcome.SHADOW_DENIED))).isEqualTo("288=1");
    assertThat(text(of(seconds, 0, RuleOutcome.DELAYED))).isEmpty();
    assertThat(seconds.lines().get(0).unknown()).isEqualTo(287);
    assertThat(seconds.end()).isEqualTo(START + 13);
    assertThat(seconds.start()).isEqualTo(START + 13 - 300);

    Chart tens = together(decisionHistory, SeriesRange.HOUR);
    assertThat(text(of(tens, 0, RuleOutcome.DENIED))).isEqualTo("358=2 359=1");
    assertThat(tens.end()).isEqualTo(START + 20);
    Chart a = decisionHistory.chart(SeriesRange.MINUTES, "a");
    assertThat(text(of(a, 0, RuleOutcome.ALLOWED))).isEqualTo("287=2 288=1");
    ChartSeries nothing = decisionHistory.chart(SeriesRange.MINUTES, "c").lines().get(0);
    assertThat(nothing.unknown()).isEqualTo(SeriesRange.MINUTES.slots());
  }

  @ParameterizedTest
  @EnumSource(SeriesRange.class)
  void forgetsWhatIsOlderThanTheRange(SeriesRange seriesRange) {
    DecisionHistory decisionHistory = history(START);
    request("/a", 1);
    decisionHistory.read(START);
    long last = (seriesRange.slot(START) + seriesRange.slots()) * seriesRange.step() - 1;
    decisionHistory.read(last);
    assertThat(text(of(together(decisionHistory, seriesRange), 0, RuleOutcome.ALLOWED)))
        .isEqualTo("0=1");
    decisionHistory.read(last + 1);
    assertThat(text(of(together(decisionHistory, seriesRange), 0, RuleOutcome.ALLOWED))).isEmpty();
    assertThat(together(decisionHistory, seriesRange).lines().get(0).unknown()).isZero();
    assertThat(decisionHistory.totals().of(RuleOutcome.ALLOWED)).isEqualTo(1);
    assertThat(decisionHistory.lastMinute().all()).isZero();
  }

  /** For clocks at any time, and for steps in both directions. */
  @ParameterizedTest
  @ValueSource(longs = {START, 0, -1, -301, 299, 9_000_000_000L})
  void hostileClocksLoseNothing(long origin) {
    DecisionHistory decisionHistory = history(origin);
    long[] clock = {0, 1, 1, 0, -500, 2, 7, 7, 60, 59, 4000, 3999, 4001};
    for (long each : clock) {
      request("/a", 2);
      decisionHistory.read(origin + each);
    }
    assertThat(decisionHistory.totals().all()).isEqualTo(2L * clock.length);
    Chart day = together(decisionHistory, SeriesRange.DAY);
    assertThat(sum(day.lines().get(0))).isEqualTo(2L * clock.length);
    assertThat(LongStream.of(of(day, 0, RuleOutcome.DENIED)).allMatch(count -> count >= 0))
        .isTrue();
  }

  /** What came while the reader was late was not all of the last second. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1  | 8  | 299=8
          2  | 8  | 298=4 299=4
          4  | 9  | 296=2 297=2 298=2 299=3
          10 | 5  | 299=5
          11 | 22 | 299=22
          """)
  void aFewLateSecondsAreSpread(long late, int requests, String expected) {
    DecisionHistory decisionHistory = history(START);
    request("/a", 3);
    decisionHistory.read(START);
    request("/a", requests);
    decisionHistory.read(START + late);
    assertThat(text(of(together(decisionHistory, SeriesRange.MINUTES), 0, RuleOutcome.DENIED)))
        .isEqualTo(expected);
    assertThat(text(of(decisionHistory.chart(SeriesRange.MINUTES, "a"), 0, RuleOutcome.DENIED)))
        .isEqualTo(expected);
  }

  @Test
  void theLastMinuteIsSummedByRule() {
    DecisionHistory decisionHistory = history(START);
    request("/a", 5);
    request("/none", 4);
    decisionHistory.read(START);
    assertThat(decisionHistory.lastMinuteSeconds()).isEqualTo(1);
    assertThat(decisionHistory.lastMinute().of(RuleOutcome.DENIED)).isEqualTo(2);
    assertThat(decisionHistory.requestsOfLastMinute().of(RequestOutcome.UNMATCHED)).isEqualTo(4);
    assertThat(decisionHistory.lastMinute().nearLimit()).isEqualTo(1);
    RuleHistory rule = decisionHistory.rule("a");
    assertThat(rule.minute().of(RuleOutcome.ALLOWED)).isEqualTo(3);
    assertThat(rule.minute().refusedShare()).isEqualTo(0.4);
    assertThat(rule.idleSeconds()).isZero();

    decisionHistory.read(START + 59);
    assertThat(decisionHistory.lastMinute().of(RuleOutcome.DENIED)).isEqualTo(2);
    assertThat(decisionHistory.lastMinuteSeconds()).isEqualTo(60);
    decisionHistory.read(START + 60);
    assertThat(decisionHistory.lastMinute().all()).isZero();
    assertThat(decisionHistory.requestsOfLastMinute().of(RequestOutcome.UNMATCHED)).isZero();
    assertThat(decisionHistory.rule("a").minute().all()).isZero();
    assertThat(decisionHistory.rule("a").totals().all()).isEqualTo(5);
    assertThat(decisionHistory.rule("a").idleSeconds()).isEqualTo(60);
    assertThat(decisionHistory.lastMinuteSeconds()).isBetween(55L, 60L);
    assertThat(decisionHistory.requestCounts().of(RequestOutcome.UNMATCHED)).isEqualTo(4);
  }

  /** 50 of 100 requests count as 50, however many rules allow the others. */
  @Test
  void aRequestIsCountedOnceHoweverManyRulesApply() {
    limiter.reload(
        rules(
            """
            rules:
              - { name: tight, limit: 50 per hour }
              - { name: a, limit: 1000 per hour }
              - { name: b, limit: 2000 per hour }
              - { name: tried, mode: shadow, limit: 20 per hour }
              - { name: second, mode: shadow, limit: 30 per hour }
            """));
    DecisionHistory decisionHistory = history(START);
    request("/a", 100);
    decisionHistory.read(START + 3); // three seconds late
    RequestCounts requestCounts = decisionHistory.requestCounts();
    assertThat(requestCounts.all()).isEqualTo(100);
    assertThat(requestCounts.outcomes()).containsExactly(50, 50, 0, 0, 0);
    assertThat(requestCounts.shadowDenied()).as("by one of two, or by both").isEqualTo(30);
    assertThat(decisionHistory.requestsOfLastMinute().outcomes()).containsExactly(50, 50, 0, 0, 0);
    assertThat(decisionHistory.requestsOfLastMinute().shadowDenied()).isEqualTo(30);
    assertThat(decisionHistory.totals().of(RuleOutcome.ALLOWED))
        .as("decisions")
        .isEqualTo(150 + 20 + 30);

    ChartSeries chartSeries = decisionHistory.requests(SeriesRange.MINUTES).lines().get(0);
    assertThat(chartSeries.unknown()).isEqualTo(296);
    assertThat(text(chartSeries.counts()[RequestOutcome.DENIED.ordinal()]))
        .isEqualTo("297=16 298=16 299=18");
    assertThat(text(chartSeries.counts()[RequestCounts.SHADOW_DENIED]))
        .isEqualTo("297=10 298=10 299=10");

    limiter.reload(rules(TWO)); // a request outlives the rules that it met
    Tick tick = decisionHistory.tick(START + 4);
    assertThat(tick.requestCounts().outcomes()).containsExactly(50, 50, 0, 0, 0);
    assertThat(tick.requestCounts().shadowDenied()).isEqualTo(30);
    assertThat(decisionHistory.tick(START + 5).requestCounts().all()).isZero();
    assertThat(decisionHistory.requestCounts().all()).isEqualTo(100);
    decisionHistory.read(START + 70);
    assertThat(decisionHistory.requestsOfLastMinute().all()).isZero();
  }

  @Test
  void tickContainsChangesSinceTheLast() {
    DecisionHistory decisionHistory = history(START);
    request("/a", 5);
    decisionHistory.read(START);
    request("/b", 1);
    Tick first = decisionHistory.tick(START + 1);
    assertThat(first.all().all()).isEqualTo(6);
    assertThat(first.rules()).extracting(Tick.OfRule::rule).containsExactly("a", "b");
    assertThat(first.rules().get(0).outcomes()).containsExactly(3, 2, 0, 0);
    assertThat(decisionHistory.tick(START + 2).all().all()).isZero();
    assertThat(decisionHistory.tick(START + 3).rules()).isEmpty();
  }

  /** A rule that is taken away takes nothing with it that was counted. */
  @Test
  void removedRulesKeepTheirHistory() {
    DecisionHistory decisionHistory = history(START);
    request("/a", 5);
    request("/b", 1);
    decisionHistory.read(START);
    request("/a", 1);
    limiter.reload(rules(TWO.replace("name: a", "name: c")));
    request("/a", 2);
    decisionHistory.read(START + 1);
    assertThat(decisionHistory.totals().all()).isEqualTo(9);
    assertThat(decisionHistory.rule("a")).isNull();
    assertThat(decisionHistory.rule("b").totals().all()).isEqualTo(1);
    assertThat(decisionHistory.rule("c").totals().all()).isEqualTo(2);
    Chart chart = decisionHistory.byRule(SeriesRange.MINUTES, 8);
    assertThat(chart.lines()).extracting(ChartSeries::rule).containsExactly("c", "b", null);
    assertThat(sum(chart.lines().get(2))).isEqualTo(6);

    limiter.reload(rules(TWO));
    request("/a", 1);
    decisionHistory.read(START + 2);
    assertThat(decisionHistory.rule("a").totals().all()).as("it is a new one").isEqualTo(1);
    assertThat(decisionHistory.totals().all()).isEqualTo(10);
  }

  /** Off for a moment or for long: its counters go on, and nothing is added up twice. */
  @ParameterizedTest
  @ValueSource(ints = {1, 30})
  void aRuleThatWasOffIsNotCountedTwice(int seconds) {
    DecisionHistory decisionHistory = history(START);
    request("/a", 5);
    decisionHistory.read(START);
    limiter.reload(rules(TWO.replace("per: user", "mode: 'off'")));
    for (int i = 1; i <= seconds; i++) {
      request("/a", 1);
      decisionHistory.read(START + i);
    }
    assertThat(decisionHistory.rule("a")).isNull();
    limiter.reload(rules(TWO));
    request("/a", 2);
    decisionHistory.read(START + seconds + 1);
    assertThat(decisionHistory.rule("a").totals().all()).isEqualTo(7);
    assertThat(decisionHistory.totals().all()).isEqualTo(7);
    assertThat(sum(together(decisionHistory, SeriesRange.HOUR).lines().get(0))).isEqualTo(7);
  }

  /** Another domain has a rule of that name now: the label is another, the past is the same. */
  @Test
  void aRuleKeepsItsPastUnderAnotherLabel() {
    RuleSet shop = rules("domain: shop\n" + TWO);
    limiter.reload(shop);
    DecisionHistory decisionHistory = history(START);
    request("/a", 5);
    decisionHistory.read(START);
    assertThat(decisionHistory.rule("a").totals().all()).isEqualTo(5);
    List<Domain> both = new ArrayList<>(shop.domains());
    both.addAll(rules("rules: [ { name: a, match: { path: /x }, limit: 1/s } ]").domains());
    limiter.reload(RuleSet.of(both));
    request("/a", 1);
    request("/x", 1);
    decisionHistory.read(START + 1);
    assertThat(decisionHistory.rule("shop/a").totals().all()).isEqualTo(6);
    assertThat(decisionHistory.rule("a").totals().all()).isEqualTo(1);
    assertThat(decisionHistory.totals().all()).isEqualTo(7);
    limiter.reload(shop);
    request("/a", 1);
    decisionHistory.read(START + 2);
    assertThat(decisionHistory.rule("a").totals().all()).isEqualTo(7);
    assertThat(decisionHistory.rule("shop/a")).isNull();
    assertThat(decisionHistory.totals().all()).isEqualTo(8);
    assertThat(sum(decisionHistory.chart(SeriesRange.MINUTES, "a").lines().get(0))).isEqualTo(7);
  }

  @Test
  void onlyTheBusiestRulesHaveASeries() {
    String many =
        "rules:\n"
            + IntStream.range(0, 5)
                .mapToObj(
                    i -> "  - { name: r" + i + ", match: { path: /r" + i + " }, limit: 9 per day }")
                .collect(Collectors.joining("\n"));
    limiter.reload(rules(many));
    DecisionHistory decisionHistory =
        new DecisionHistory(decisionEngine.decisionCounters(), decisionEngine::rules, START, 2);
    for (int i = 0; i < 5; i++) {
      request("/r" + i, 1 + i);
    }
    decisionHistory.read(START);
    List<ChartSeries> first = decisionHistory.byRule(SeriesRange.MINUTES, 8).lines();
    assertThat(first).extracting(ChartSeries::rule).containsExactly("r1", "r0", null);
    assertThat(sum(first.get(2))).isEqualTo(3 + 4 + 5);
    assertThat(decisionHistory.chart(SeriesRange.MINUTES, "r4").lines().get(0).unknown())
        .isEqualTo(300);

    decisionHistory.read(START + 60);
    request("/r4", 2);
    request("/r1", 1);
    decisionHistory.read(START + 61);
    List<ChartSeries> then = decisionHistory.byRule(SeriesRange.MINUTES, 8).lines();
    assertThat(then).extracting(ChartSeries::rule).containsExactly("r1", "r4", null);
    assertThat(then.stream().mapToLong(DecisionHistoryTest::sum).sum()).isEqualTo(18);
    assertThat(decisionHistory.rule("r4").totals().all()).isEqualTo(7);
    assertThat(decisionHistory.byRule(SeriesRange.MINUTES, 1).lines()).hasSize(2);
  }

  /** Decisions on many threads, and a reader among them: the slots add up to the counters. */
  @Test
  void afterConcurrentLoadTheSlotsAddUpToTheCounters() throws Exception {
    DecisionHistory decisionHistory = history(START);
    int threads = 4;
    CountDownLatch left = new CountDownLatch(threads);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < 20_000; n++) {
                  request(ThreadLocalRandom.current().nextInt(3) == 0 ? "/b" : "/a", 1);
                }
                left.countDown();
              });
      all.add(thread);
      thread.start();
    }
    long rounds = 0;
    while (left.getCount() > 0) {
      rounds = Math.min(rounds + 1, 80_000); // it is to be less than a day
      decisionHistory.read(START + (rounds % 7 == 0 ? rounds + 3 : rounds));
    }
    for (Thread thread : all) {
      thread.join();
    }
    decisionHistory.read(START + rounds + 10);
    long counted = 0;
    for (RuleCounters rule : decisionEngine.decisionCounters().rules(decisionEngine::rules)) {
      for (RuleOutcome ruleOutcome : RuleOutcome.values()) {
        counted += rule.count(ruleOutcome);
        assertThat(decisionHistory.rule(rule.label()).totals().of(ruleOutcome))
            .isEqualTo(rule.count(ruleOutcome));
        Chart own = decisionHistory.chart(SeriesRange.DAY, rule.label());
        assertThat(LongStream.of(of(own, 0, ruleOutcome)).sum()).isEqualTo(rule.count(ruleOutcome));
      }
      assertThat(decisionHistory.rule(rule.label()).totals().nearLimit())
          .isEqualTo(rule.nearLimit());
    }
    assertThat(counted).isEqualTo(threads * 20_000L);
    assertThat(decisionHistory.totals().all()).isEqualTo(counted);
    assertThat(sum(together(decisionHistory, SeriesRange.DAY).lines().get(0))).isEqualTo(counted);
  }

  @Test
  void tenThousandRulesTakeLittleRoom() {
    String many =
        "rules:\n"
            + IntStream.range(0, 10_000)
                .mapToObj(
                    i -> "  - { name: r" + i + ", match: { path: /" + i + " }, limit: 1 per day }")
                .collect(Collectors.joining("\n"));
    limiter.reload(rules(many));
    DecisionHistory decisionHistory = history(START);
    for (int i = 0; i < 10_000; i++) {
      request("/" + i, 2);
    }
    decisionHistory.read(START);
    decisionHistory.read(START + 61);
    assertThat(decisionHistory.bytes()).isLessThan(20L * 1024 * 1024);
    assertThat(decisionHistory.totals().of(RuleOutcome.DENIED)).isEqualTo(10_000);
    assertThat(decisionHistory.tick(START + 62).rules()).hasSize(50);
    Chart chart = decisionHistory.byRule(SeriesRange.HOUR, 8);
    assertThat(chart.lines()).hasSize(9);
    assertThat(chart.lines().stream().mapToLong(DecisionHistoryTest::sum).sum()).isEqualTo(20_000);
  }

  private static long sum(ChartSeries chartSeries) {
    return Arrays.stream(chartSeries.counts()).flatMapToLong(LongStream::of).sum();
  }
}
