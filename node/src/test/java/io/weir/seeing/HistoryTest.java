package io.weir.seeing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RequestOutcome;
import io.weir.arbiter.RuleTally;
import io.weir.arbiter.Tally;
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
class HistoryTest {
  private static final long START = 1_790_000_000; // a multiple of 10, and not of 300

  private static final String TWO =
      """
      rules:
        - { name: a, match: { path: /a }, per: user, limit: 3 per hour }
        - { name: b, match: { path: /b }, mode: shadow, limit: 2 per hour }
      """;

  private final RequestLimiter limiter = RequestLimiter.builder(rules(TWO)).build();
  private final Arbiter arbiter = new Arbiter(limiter, new Tally());

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  private History history(long second) {
    return new History(arbiter.tally(), arbiter::rules, second);
  }

  private void ask(String path, int times) {
    for (int i = 0; i < times; i++) {
      arbiter.decide(Map.of("path", path, "user", "u")::get).toCompletableFuture().join();
    }
  }

  /** The decisions of all rules. */
  private static Chart together(History history, Range range) {
    return history.byRule(range, 0);
  }

  private static long[] of(Chart chart, int line, Outcome outcome) {
    return chart.lines().get(line).counts()[outcome.ordinal()];
  }

  /** {@code 299=3} if the last of 300 slots has 3 and all others are zero. */
  private static String told(long[] counts) {
    return IntStream.range(0, counts.length)
        .filter(i -> counts[i] != 0)
        .mapToObj(i -> i + "=" + counts[i])
        .collect(Collectors.joining(" "));
  }

  @Test
  void eachSecondHasItsOwn() {
    History history = history(START);
    ask("/a", 2);
    history.read(START);
    ask("/a", 3);
    ask("/b", 3);
    history.read(START + 1);
    history.read(START + 2);
    ask("/a", 1);
    history.read(START + 12);

    Chart seconds = together(history, Range.MINUTES);
    assertThat(told(of(seconds, 0, Outcome.ALLOWED))).isEqualTo("287=2 288=3");
    assertThat(told(of(seconds, 0, Outcome.DENIED))).isEqualTo("288=2 299=1");
    assertThat(told(of(seconds, 0, Outcome.SHADOW_DENIED))).isEqualTo("288=1");
    assertThat(told(of(seconds, 0, Outcome.DELAYED))).isEmpty();
    assertThat(seconds.lines().get(0).unknown()).isEqualTo(287);
    assertThat(seconds.end()).isEqualTo(START + 13);
    assertThat(seconds.start()).isEqualTo(START + 13 - 300);

    Chart tens = together(history, Range.HOUR);
    assertThat(told(of(tens, 0, Outcome.DENIED))).isEqualTo("358=2 359=1");
    assertThat(tens.end()).isEqualTo(START + 20);
    Chart a = history.chart(Range.MINUTES, "a");
    assertThat(told(of(a, 0, Outcome.ALLOWED))).isEqualTo("287=2 288=1");
    Line nothing = history.chart(Range.MINUTES, "c").lines().get(0);
    assertThat(nothing.unknown()).isEqualTo(Range.MINUTES.slots());
  }

  @ParameterizedTest
  @EnumSource(Range.class)
  void whatIsOlderThanTheRangeIsForgotten(Range range) {
    History history = history(START);
    ask("/a", 1);
    history.read(START);
    long last = (range.slot(START) + range.slots()) * range.step() - 1;
    history.read(last);
    assertThat(told(of(together(history, range), 0, Outcome.ALLOWED))).isEqualTo("0=1");
    history.read(last + 1);
    assertThat(told(of(together(history, range), 0, Outcome.ALLOWED))).isEmpty();
    assertThat(together(history, range).lines().get(0).unknown()).isZero();
    assertThat(history.totals().of(Outcome.ALLOWED)).isEqualTo(1);
    assertThat(history.lastMinute().all()).isZero();
  }

  /** At whatever second the clock stands, and wherever it goes. */
  @ParameterizedTest
  @ValueSource(longs = {START, 0, -1, -301, 299, 9_000_000_000L})
  void hostileClocksLoseNothing(long origin) {
    History history = history(origin);
    long[] clock = {0, 1, 1, 0, -500, 2, 7, 7, 60, 59, 4000, 3999, 4001};
    for (long each : clock) {
      ask("/a", 2);
      history.read(origin + each);
    }
    assertThat(history.totals().all()).isEqualTo(2L * clock.length);
    Chart day = together(history, Range.DAY);
    assertThat(sum(day.lines().get(0))).isEqualTo(2L * clock.length);
    assertThat(LongStream.of(of(day, 0, Outcome.DENIED)).allMatch(count -> count >= 0)).isTrue();
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
  void aFewLateSecondsAreSpread(long late, int asked, String told) {
    History history = history(START);
    ask("/a", 3);
    history.read(START);
    ask("/a", asked);
    history.read(START + late);
    assertThat(told(of(together(history, Range.MINUTES), 0, Outcome.DENIED))).isEqualTo(told);
    assertThat(told(of(history.chart(Range.MINUTES, "a"), 0, Outcome.DENIED))).isEqualTo(told);
  }

  @Test
  void theLastMinuteIsSummedByRule() {
    History history = history(START);
    ask("/a", 5);
    ask("/none", 4);
    history.read(START);
    assertThat(history.lastMinuteSeconds()).isEqualTo(1);
    assertThat(history.lastMinute().of(Outcome.DENIED)).isEqualTo(2);
    assertThat(history.requestsOfLastMinute().of(RequestOutcome.UNMATCHED)).isEqualTo(4);
    assertThat(history.lastMinute().nearLimit()).isEqualTo(1);
    RuleHistory rule = history.rule("a");
    assertThat(rule.minute().of(Outcome.ALLOWED)).isEqualTo(3);
    assertThat(rule.minute().refusedShare()).isEqualTo(0.4);
    assertThat(rule.idleSeconds()).isZero();

    history.read(START + 59);
    assertThat(history.lastMinute().of(Outcome.DENIED)).isEqualTo(2);
    assertThat(history.lastMinuteSeconds()).isEqualTo(60);
    history.read(START + 60);
    assertThat(history.lastMinute().all()).isZero();
    assertThat(history.requestsOfLastMinute().of(RequestOutcome.UNMATCHED)).isZero();
    assertThat(history.rule("a").minute().all()).isZero();
    assertThat(history.rule("a").totals().all()).isEqualTo(5);
    assertThat(history.rule("a").idleSeconds()).isEqualTo(60);
    assertThat(history.lastMinuteSeconds()).isBetween(55L, 60L);
    assertThat(history.requests().of(RequestOutcome.UNMATCHED)).isEqualTo(4);
  }

  /** Fifty of a hundred are fifty, however many rules allow the others. */
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
    History history = history(START);
    ask("/a", 100);
    history.read(START + 3); // three seconds late
    Requests requests = history.requests();
    assertThat(requests.all()).isEqualTo(100);
    assertThat(requests.outcomes()).containsExactly(50, 50, 0, 0, 0);
    assertThat(requests.shadowDenied()).as("by one of two, or by both").isEqualTo(30);
    assertThat(history.requestsOfLastMinute().outcomes()).containsExactly(50, 50, 0, 0, 0);
    assertThat(history.requestsOfLastMinute().shadowDenied()).isEqualTo(30);
    assertThat(history.totals().of(Outcome.ALLOWED)).as("decisions").isEqualTo(150 + 20 + 30);

    Line line = history.requests(Range.MINUTES).lines().get(0);
    assertThat(line.unknown()).isEqualTo(296);
    assertThat(told(line.counts()[RequestOutcome.DENIED.ordinal()]))
        .isEqualTo("297=16 298=16 299=18");
    assertThat(told(line.counts()[Requests.SHADOW_DENIED])).isEqualTo("297=10 298=10 299=10");

    limiter.reload(rules(TWO)); // a request outlives the rules that it met
    Tick tick = history.tick(START + 4);
    assertThat(tick.requests().outcomes()).containsExactly(50, 50, 0, 0, 0);
    assertThat(tick.requests().shadowDenied()).isEqualTo(30);
    assertThat(history.tick(START + 5).requests().all()).isZero();
    assertThat(history.requests().all()).isEqualTo(100);
    history.read(START + 70);
    assertThat(history.requestsOfLastMinute().all()).isZero();
  }

  @Test
  void tickContainsChangesSinceTheLast() {
    History history = history(START);
    ask("/a", 5);
    history.read(START);
    ask("/b", 1);
    Tick first = history.tick(START + 1);
    assertThat(first.all().all()).isEqualTo(6);
    assertThat(first.rules()).extracting(Tick.OfRule::rule).containsExactly("a", "b");
    assertThat(first.rules().get(0).outcomes()).containsExactly(3, 2, 0, 0);
    assertThat(history.tick(START + 2).all().all()).isZero();
    assertThat(history.tick(START + 3).rules()).isEmpty();
  }

  /** A rule that is taken away takes nothing with it that was counted. */
  @Test
  void rulesThatGoLeaveWhatTheyDid() {
    History history = history(START);
    ask("/a", 5);
    ask("/b", 1);
    history.read(START);
    ask("/a", 1);
    limiter.reload(rules(TWO.replace("name: a", "name: c")));
    ask("/a", 2);
    history.read(START + 1);
    assertThat(history.totals().all()).isEqualTo(9);
    assertThat(history.rule("a")).isNull();
    assertThat(history.rule("b").totals().all()).isEqualTo(1);
    assertThat(history.rule("c").totals().all()).isEqualTo(2);
    Chart chart = history.byRule(Range.MINUTES, 8);
    assertThat(chart.lines()).extracting(Line::rule).containsExactly("c", "b", null);
    assertThat(sum(chart.lines().get(2))).isEqualTo(6);

    limiter.reload(rules(TWO));
    ask("/a", 1);
    history.read(START + 2);
    assertThat(history.rule("a").totals().all()).as("it is a new one").isEqualTo(1);
    assertThat(history.totals().all()).isEqualTo(10);
  }

  /** Off for a moment or for long: its counters go on, and nothing is added up twice. */
  @ParameterizedTest
  @ValueSource(ints = {1, 30})
  void aRuleThatWasOffIsNotCountedTwice(int seconds) {
    History history = history(START);
    ask("/a", 5);
    history.read(START);
    limiter.reload(rules(TWO.replace("per: user", "mode: 'off'")));
    for (int i = 1; i <= seconds; i++) {
      ask("/a", 1);
      history.read(START + i);
    }
    assertThat(history.rule("a")).isNull();
    limiter.reload(rules(TWO));
    ask("/a", 2);
    history.read(START + seconds + 1);
    assertThat(history.rule("a").totals().all()).isEqualTo(7);
    assertThat(history.totals().all()).isEqualTo(7);
    assertThat(sum(together(history, Range.HOUR).lines().get(0))).isEqualTo(7);
  }

  /** Another domain has a rule of that name now: the label is another, the past is the same. */
  @Test
  void aRuleKeepsItsPastUnderAnotherLabel() {
    RuleSet shop = rules("domain: shop\n" + TWO);
    limiter.reload(shop);
    History history = history(START);
    ask("/a", 5);
    history.read(START);
    assertThat(history.rule("a").totals().all()).isEqualTo(5);
    List<Domain> both = new ArrayList<>(shop.domains());
    both.addAll(rules("rules: [ { name: a, match: { path: /x }, limit: 1/s } ]").domains());
    limiter.reload(RuleSet.of(both));
    ask("/a", 1);
    ask("/x", 1);
    history.read(START + 1);
    assertThat(history.rule("shop/a").totals().all()).isEqualTo(6);
    assertThat(history.rule("a").totals().all()).isEqualTo(1);
    assertThat(history.totals().all()).isEqualTo(7);
    limiter.reload(shop);
    ask("/a", 1);
    history.read(START + 2);
    assertThat(history.rule("a").totals().all()).isEqualTo(7);
    assertThat(history.rule("shop/a")).isNull();
    assertThat(history.totals().all()).isEqualTo(8);
    assertThat(sum(history.chart(Range.MINUTES, "a").lines().get(0))).isEqualTo(7);
  }

  @Test
  void onlySoManyHaveASeriesAndTheBusiestHaveIt() {
    String many =
        "rules:\n"
            + IntStream.range(0, 5)
                .mapToObj(
                    i -> "  - { name: r" + i + ", match: { path: /r" + i + " }, limit: 9 per day }")
                .collect(Collectors.joining("\n"));
    limiter.reload(rules(many));
    History history = new History(arbiter.tally(), arbiter::rules, START, 2);
    for (int i = 0; i < 5; i++) {
      ask("/r" + i, 1 + i);
    }
    history.read(START);
    List<Line> first = history.byRule(Range.MINUTES, 8).lines();
    assertThat(first).extracting(Line::rule).containsExactly("r1", "r0", null);
    assertThat(sum(first.get(2))).isEqualTo(3 + 4 + 5);
    assertThat(history.chart(Range.MINUTES, "r4").lines().get(0).unknown()).isEqualTo(300);

    history.read(START + 60);
    ask("/r4", 2);
    ask("/r1", 1);
    history.read(START + 61);
    List<Line> then = history.byRule(Range.MINUTES, 8).lines();
    assertThat(then).extracting(Line::rule).containsExactly("r1", "r4", null);
    assertThat(then.stream().mapToLong(HistoryTest::sum).sum()).isEqualTo(18);
    assertThat(history.rule("r4").totals().all()).isEqualTo(7);
    assertThat(history.byRule(Range.MINUTES, 1).lines()).hasSize(2);
  }

  /** Decisions on many threads, and a reader among them: the slots add up to the counters. */
  @Test
  void afterConcurrentLoadTheSlotsAddUpToTheCounters() throws Exception {
    History history = history(START);
    int threads = 4;
    CountDownLatch left = new CountDownLatch(threads);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < 20_000; n++) {
                  ask(ThreadLocalRandom.current().nextInt(3) == 0 ? "/b" : "/a", 1);
                }
                left.countDown();
              });
      all.add(thread);
      thread.start();
    }
    long rounds = 0;
    while (left.getCount() > 0) {
      rounds = Math.min(rounds + 1, 80_000); // it is to be less than a day
      history.read(START + (rounds % 7 == 0 ? rounds + 3 : rounds));
    }
    for (Thread thread : all) {
      thread.join();
    }
    history.read(START + rounds + 10);
    long counted = 0;
    for (RuleTally rule : arbiter.tally().rules(arbiter::rules)) {
      for (Outcome outcome : Outcome.values()) {
        counted += rule.count(outcome);
        assertThat(history.rule(rule.label()).totals().of(outcome)).isEqualTo(rule.count(outcome));
        Chart own = history.chart(Range.DAY, rule.label());
        assertThat(LongStream.of(of(own, 0, outcome)).sum()).isEqualTo(rule.count(outcome));
      }
      assertThat(history.rule(rule.label()).totals().nearLimit()).isEqualTo(rule.nearLimit());
    }
    assertThat(counted).isEqualTo(threads * 20_000L);
    assertThat(history.totals().all()).isEqualTo(counted);
    assertThat(sum(together(history, Range.DAY).lines().get(0))).isEqualTo(counted);
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
    History history = history(START);
    for (int i = 0; i < 10_000; i++) {
      ask("/" + i, 2);
    }
    history.read(START);
    history.read(START + 61);
    assertThat(history.bytes()).isLessThan(20L * 1024 * 1024);
    assertThat(history.totals().of(Outcome.DENIED)).isEqualTo(10_000);
    assertThat(history.tick(START + 62).rules()).hasSize(50);
    Chart chart = history.byRule(Range.HOUR, 8);
    assertThat(chart.lines()).hasSize(9);
    assertThat(chart.lines().stream().mapToLong(HistoryTest::sum).sum()).isEqualTo(20_000);
  }

  private static long sum(Line line) {
    return Arrays.stream(line.counts()).flatMapToLong(LongStream::of).sum();
  }
}
