package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.weir.insight.whatif.RecordedDemand;
import io.weir.insight.whatif.Resolution;
import io.weir.runtime.BackgroundThread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which callers are refused most, and which are near the limit. */
class RankingsTest {
  private static final String TEN =
      "rules: [ { name: r, per: user, limit: { algorithm: fixed-window, rate: 10 per hour } } ]";

  private final InsightsFixture insightsFixture = new InsightsFixture(TEN);

  @Test
  void littleTrafficIsCountedExactly() {
    insightsFixture
        .request("alice-0001", 25)
        .request("bob-00002", 12)
        .request("carol-003", 9)
        .request("dave-0004", 1);

    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(
            RankedCaller::rule,
            r -> r.callerKey().kept(),
            RankedCaller::count,
            RankedCaller::atMost,
            RankedCaller::use)
        .containsExactly(
            tuple("r", "alice-0001", 15L, 15L, null), tuple("r", "bob-00002", 2L, 2L, null));
    assertThat(insightsFixture.top(RankingKind.NEAR, RankingWindow.HOUR))
        .as("without those that are refused")
        .extracting(r -> r.callerKey().kept(), RankedCaller::count, RankedCaller::use)
        .containsExactly(tuple("carol-003", 1L, 0.9)); // 1 left
  }

  /** What was refused a while ago is forgotten, and the caller may be near again. */
  @Test
  void aCallerIsNearAgainOnceItsRefusalsAreForgotten() {
    InsightsFixture bucket =
        new InsightsFixture(
            "rules: [ { name: r, per: user, limit: { rate: 10 per minute, burst: 10 } } ]");
    bucket.request("alice-0001", 12).pass(Duration.ofSeconds(70)).request("alice-0001", 9);
    assertThat(bucket.top(RankingKind.NEAR, RankingWindow.MINUTE))
        .extracting(r -> r.callerKey().kept())
        .containsExactly("alice-0001");
    assertThat(bucket.top(RankingKind.NEAR, RankingWindow.HOUR)).isEmpty();
  }

  /** The same key has separate buckets under each override. */
  @Test
  void ranksCallersByTheLimitsThatApplied() {
    InsightsFixture two =
        new InsightsFixture(
            "rules: [ { name: r, per: user, limit: 2 per hour, overrides: [ { name: big, match: {"
                + " path: /big }, limit: 4 per hour }, { match: { path: /other }, limit: 9 per hour"
                + " } ] } ]");
    for (int i = 0; i < 5; i++) {
      two.request("alice-0001", "/big");
      two.request("alice-0001", "/small");
    }
    assertThat(two.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(RankedCaller::override, RankedCaller::count, r -> r.callerKey().kept())
        .containsExactly(tuple(null, 3L, "alice-0001"), tuple("big", 1L, "alice-0001"));
    CallerKey callerKey = two.top(RankingKind.REFUSED, RankingWindow.MINUTE).get(0).callerKey();
    assertThat(two.query(() -> two.insights.topCallers().limitsOf("r", callerKey)))
        .containsExactlyInAnyOrder("", "big");
    assertThat(
            two.query(() -> two.insights.topCallers().demand("r", "big", Resolution.HOUR))
                .requests())
        .isEqualTo(5);
    assertThat(
            two.query(() -> two.insights.topCallers().demand("r", "", Resolution.HOUR)).refusals())
        .isEqualTo(3);
    assertThat(
            two.query(() -> two.insights.topCallers().chronicle("r", callerKey, Resolution.HOUR)))
        .get()
        .satisfies(both -> assertThat(RecordedDemand.sum(both.asked())).isEqualTo(10))
        .satisfies(both -> assertThat(RecordedDemand.sum(both.refused())).isEqualTo(4));
  }

  @Test
  void shadowRefusalsAreAListOfTheirOwn() {
    InsightsFixture shadow =
        new InsightsFixture("rules: [ { name: s, per: user, mode: shadow, limit: 1 per hour } ]");
    shadow.request("somebody", 4);
    assertThat(shadow.top(RankingKind.REFUSED, RankingWindow.MINUTE)).isEmpty();
    assertThat(shadow.top(RankingKind.NEAR, RankingWindow.MINUTE)).isEmpty();
    assertThat(shadow.top(RankingKind.WOULD_BE_REFUSED, RankingWindow.MINUTE))
        .extracting(RankedCaller::count)
        .containsExactly(3L);
  }

  @Test
  void windowsForget() {
    insightsFixture.request("alice-0001", 15).pass(Duration.ofSeconds(45)).request("alice-0001", 3);
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(RankedCaller::count)
        .containsExactly(8L);
    insightsFixture.pass(Duration.ofSeconds(20));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(RankedCaller::count)
        .containsExactly(3L);
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR))
        .extracting(RankedCaller::count)
        .containsExactly(8L);
    insightsFixture.pass(Duration.ofMinutes(2));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE)).isEmpty();
    insightsFixture.pass(Duration.ofMinutes(61));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR)).isEmpty();
  }

  @Test
  void withoutRecordingOnlyLimitedCallersAreKnown() {
    InsightsFixture limited = new InsightsFixture(InsightsFixture.rules(TEN), 7, false);
    limited.request("alice-0001", 12).request("bob-000002", 9).request("carol-0003", 1);
    assertThat(limited.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(r -> r.callerKey().kept(), RankedCaller::count)
        .containsExactly(tuple("alice-0001", 2L));
    assertThat(limited.top(RankingKind.NEAR, RankingWindow.HOUR))
        .extracting(r -> r.callerKey().kept(), RankedCaller::count, RankedCaller::use)
        .containsExactly(tuple("bob-000002", 1L, 0.9));
    assertThat(limited.query(() -> limited.insights.topCallers().census("r")).callers()).isZero();
    assertThat(
            limited
                .query(() -> limited.insights.topCallers().demand("r", "", Resolution.HOUR))
                .callers())
        .isEmpty();
  }

  @Test
  void reloadKeepsCountsOfRemainingRules() {
    insightsFixture.request("alice-0001", 12);
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE)).hasSize(1);
    insightsFixture.limiter.reload(
        InsightsFixture.rules(
            "rules: [ { name: r, per: user, limit: 5 per hour }, { name: new, limit: 9 per hour"
                + " } ]"));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(RankedCaller::rule)
        .containsExactly("r");
    insightsFixture.limiter.reload(
        InsightsFixture.rules("rules: [ { name: other, per: user, limit: 5 per hour } ]"));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE)).isEmpty();
  }

  /**
   * Compared with exact counts of the same window: no count is too high, and no {@code at_most} too
   * low. A caller outside the list was not seen more often than a fixed share of all.
   */
  @ParameterizedTest
  @CsvSource({"zipf,32", "uniform,32", "marching,32", "waves,32", "zipf,2", "uniform,128"})
  void theBoundHolds(String stream, int places) {
    for (RankingWindow rankingWindow : RankingWindow.values()) {
      long now = 1_790_000_000_000L;
      Decay decay = new Decay(rankingWindow.millis(), now);
      HeavyHitters table = new HeavyHitters(rankingWindow, decay, places);
      Deque<long[]> events = new ArrayDeque<>();
      Map<Long, Long> exact = new HashMap<>();
      Random random = new Random(7);
      for (int i = 0; i < 60_000; i++) {
        now += random.nextInt((int) (rankingWindow.millis() / 10_000));
        decay.moveTo(now);
        long caller = draw(stream, random, i);
        table.add(RulePart.OWN, "k" + caller, caller, 1, 0, now);
        events.add(new long[] {now, caller});
        exact.merge(caller, 1L, Long::sum);
        while (events.getFirst()[0] < rankingWindow.start(now)) {
          exact.merge(events.removeFirst()[1], -1L, Long::sum);
        }
        if (i % 2_500 == 0) {
          check(table, exact, now, decay);
        }
      }
    }
  }

  private static void check(HeavyHitters table, Map<Long, Long> exact, long now, Decay decay) {
    Map<Long, Long> hidden = new HashMap<>(exact);
    double lightest = Double.MAX_VALUE;
    for (Hitter each : table.surest()) {
      long truth = exact.getOrDefault(each.hash(), 0L);
      assertThat(table.count(each, now)).isLessThanOrEqualTo(truth);
      assertThat(table.atMost(each, now)).isGreaterThanOrEqualTo(truth);
      hidden.remove(each.hash());
      lightest = Math.min(lightest, each.weight());
    }
    for (long truth : hidden.values()) {
      assertThat((double) truth).isLessThanOrEqualTo(2 * lightest / decay.weight() + 1e-6);
    }
  }

  private static long draw(String stream, Random random, int i) {
    return switch (stream) {
      case "zipf" -> (long) (1 / (random.nextDouble() + 1e-4)); // P(> n) is 1/n
      case "uniform" -> random.nextInt(5_000);
      case "marching" -> i / 3; // each comes three times, and never again
      default -> (i / 5_000) * 100L + random.nextInt(40); // others from wave to wave
    };
  }

  @Test
  void weightsSurviveAMoveOfTheirOrigin() {
    insightsFixture.request("alice-0001", 12);
    for (int i = 0; i < 40; i++) {
      insightsFixture.pass(Duration.ofHours(1)).request("alice-0001", 12);
      insightsFixture.request("bob-" + i + "-000", 11);
    }
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.MINUTE))
        .extracting(r -> r.callerKey().kept())
        .containsExactly("alice-0001", "bob-39-000");
  }

  @ParameterizedTest
  @EnumSource(RankingKind.class)
  void aKeyThatIsTooLongIsCutButNotConfused(RankingKind rankingKind) {
    String one = "k".repeat(5_000) + "1";
    String two = "k".repeat(5_000) + "2";
    String mode = rankingKind == RankingKind.WOULD_BE_REFUSED ? "mode: shadow, " : "";
    InsightsFixture insightsFixture =
        new InsightsFixture(TEN.replace("per: user,", "per: user, " + mode));
    int more = rankingKind == RankingKind.NEAR ? 0 : 2;
    insightsFixture.request(one, 10 + more).request(two, 9 + more);
    assertThat(insightsFixture.top(rankingKind, RankingWindow.MINUTE)).hasSize(2);
    for (RankedCaller each : insightsFixture.top(rankingKind, RankingWindow.MINUTE)) {
      assertThat(each.callerKey().isWhole()).isFalse();
      assertThat(each.callerKey().revealed())
          .hasSizeLessThan(130)
          .startsWith("kkkkk")
          .endsWith("k…");
      assertThat(each.callerKey().masked()).isEqualTo("kk…");
    }
  }

  /** A query sees every decision made before it, also one made while another query runs. */
  @Test
  void queryDuringAnotherWaitsForTheNextRound() {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 2 per hour } ]");
    List<Integer> results = new ArrayList<>();
    BackgroundThread thread = insightsFixture.thread;
    Runnable second =
        () ->
            thread
                .ask(
                    () ->
                        insightsFixture
                            .insights
                            .topCallers()
                            .top(RankingKind.REFUSED, RankingWindow.HOUR, null, 9)
                            .size())
                .thenAccept(results::add);
    thread.ask(
        () -> {
          insightsFixture.request("somebody", 5);
          second.run();
          return 0;
        });
    thread.runRound();
    assertThat(results).isEmpty();
    thread.runRound();
    assertThat(results).containsExactly(1);
  }

  /** The same keys belong to other callers if their attributes have other sources. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          user: { first_of: [a, b] }, a: { header: X-A }                      | 1
          user: { first_of: [a, b] }, a: { header: X-A }, c: { header: X-C }  | 1
          user: { first_of: [b, a] }, a: { header: X-A }                      | 0
          user: { first_of: [a, b] }, a: { header: X-B }                      | 0
          user: { header: X-A }                                               | 0
          """)
  void keysFromOtherSourcesAreOtherCallers(String attributes, int known) {
    String file = "{ attributes: { %s }, rules: [ { name: r, per: user, limit: 2 per hour } ] }";
    InsightsFixture insightsFixture =
        new InsightsFixture(file.formatted("user: { first_of: [a, b] }, a: { header: X-A }"));
    for (int i = 0; i < 5; i++) {
      insightsFixture
          .decisionEngine
          .decide(Map.of("a", "somebody")::get)
          .toCompletableFuture()
          .join();
    }
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR)).hasSize(1);
    insightsFixture.limiter.reload(InsightsFixture.rules(file.formatted(attributes)));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR)).hasSize(known);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          per: user, limit: 3 per hour                           | 1
          per: user, mode: shadow, limit: 2 per hour             | 1
          per: [user, path], limit: 2 per hour                   | 0
          per: user, match: { user: somebody }, limit: 2 per hour    | 0
          per: user, cost: 2, limit: 2 per hour                  | 0
          """)
  void ruleForOtherCallersStartsAnew(String changed, int known) {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 2 per hour } ]");
    insightsFixture.request("somebody", 5);
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR)).hasSize(1);
    insightsFixture.limiter.reload(
        InsightsFixture.rules("rules: [ { name: r, " + changed + " } ]"));
    assertThat(insightsFixture.top(RankingKind.REFUSED, RankingWindow.HOUR)).hasSize(known);
    assertThat(
            insightsFixture
                .query(() -> insightsFixture.insights.topCallers().census("r"))
                .callers())
        .isEqualTo(known);
    assertThat(
            insightsFixture
                .query(() -> insightsFixture.insights.topCallers().demand("r", "", Resolution.HOUR))
                .callers())
        .hasSize(known);
  }

  @Test
  void nearestCallerIsTheOneWithTheHighestUseInTheWindow() {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 100 per 24h } ]");
    insightsFixture
        .request("often-but-further", 90)
        .request("once-but-nearest", 82)
        .pass(Duration.ofMinutes(10));
    insightsFixture.request("once-but-nearest", 17);
    List<RankedCaller> hour = insightsFixture.top(RankingKind.NEAR, RankingWindow.HOUR);
    assertThat(hour)
        .extracting(each -> each.callerKey().kept())
        .containsExactly("once-but-nearest", "often-but-further");
    assertThat(hour.get(0).use()).isEqualTo(0.99);
  }
}
