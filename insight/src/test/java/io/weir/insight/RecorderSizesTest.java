package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.insight.event.KeyTruncation;
import io.weir.insight.whatif.Resolution;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The more rules, the less is kept of each; and when they are gone, as much as before. */
class RecorderSizesTest {
  private static final int RULES = 10_000;
  private static final int CALLERS = 300;

  private static String rules(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{ name: r" + i + ", match: { path: /" + i + " }, per: user,")
        .map(rule -> rule + " limit: { algorithm: fixed-window, rate: 1 per 24h } }")
        .collect(Collectors.joining(", ", "rules: [ ", " ]"));
  }

  /** Each of these callers sends three requests, and is refused twice. */
  private static void request(InsightsFixture insightsFixture, String path, int callers) {
    for (int i = 0; i < callers; i++) {
      for (int times = 0; times < 3; times++) {
        insightsFixture.request("caller-" + i, path);
      }
    }
  }

  private static int recorded(InsightsFixture insightsFixture) {
    return insightsFixture
        .query(
            () -> insightsFixture.insights.topCallers().demand("r0", "", Resolution.FIVE_MINUTES))
        .callers()
        .size();
  }

  private static int listed(InsightsFixture insightsFixture) {
    return insightsFixture
        .query(
            () ->
                insightsFixture
                    .insights
                    .topCallers()
                    .top(RankingKind.REFUSED, RankingWindow.MINUTE, "r0", 1000))
        .size();
  }

  @Test
  void removedRulesFreeRoomForOthers() {
    InsightsFixture insightsFixture = new InsightsFixture(rules(RULES));
    for (int i = 0; i < RULES; i++) {
      request(insightsFixture, "/" + i, 1);
      if (i % 1_000 == 0) {
        insightsFixture.pass(Duration.ofSeconds(1));
      }
    }
    request(insightsFixture, "/0", CALLERS);
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::places)).isEqualTo(2);
    assertThat(listed(insightsFixture)).isEqualTo(2);
    assertThat(recorded(insightsFixture)).isLessThanOrEqualTo(16);
    assertThat(
            insightsFixture.query(() -> insightsFixture.insights.topCallers().census("r0")).error())
        .isGreaterThan(0.09);

    insightsFixture.limiter.reload(InsightsFixture.rules(rules(3)));
    insightsFixture.pass(Duration.ofMinutes(6));
    request(insightsFixture, "/0", CALLERS);
    assertThat(insightsFixture.query(insightsFixture.insights.topCallers()::places)).isEqualTo(128);
    assertThat(listed(insightsFixture)).isEqualTo(128);
    // After the time with a lower sampling rate, because the other callers are unknown then.
    insightsFixture.pass(Duration.ofMinutes(50));
    request(insightsFixture, "/0", CALLERS);
    assertThat(recorded(insightsFixture)).isBetween(CALLERS / 2, CALLERS);

    for (int i = 0; i < 4; i++) {
      insightsFixture.pass(Duration.ofHours(12));
      request(insightsFixture, "/0", CALLERS);
    }
    DistinctCallers distinctCallers =
        insightsFixture.query(() -> insightsFixture.insights.topCallers().census("r0"));
    assertThat(distinctCallers.error()).isLessThan(0.04);
    assertThat(distinctCallers.callers()).isBetween(CALLERS * 9L / 10, CALLERS * 11L / 10);
  }

  /** Rules without a request for a day make room too. */
  @Test
  void idleRulesFreeTheirRoom() {
    InsightsFixture insightsFixture = new InsightsFixture(rules(200));
    for (int i = 0; i < 200; i++) {
      request(insightsFixture, "/" + i, 1);
    }
    for (int i = 0; i < 26; i++) {
      insightsFixture.pass(Duration.ofHours(1));
      request(insightsFixture, "/0", CALLERS);
    }
    assertThat(recorded(insightsFixture)).isBetween(CALLERS / 2, CALLERS);
  }

  /** Half a day counted precisely and half a day not are reported as if neither was. */
  @Test
  void countsOfDifferentSizesAreOne() {
    HyperLogLog hyperLogLog = new HyperLogLog(1024);
    long half = Duration.ofHours(12).toMillis();
    for (int i = 0; i < 5_000; i++) {
      hyperLogLog.add(KeyTruncation.hash(7, "a" + i), half);
    }
    assertThat(hyperLogLog.error()).isLessThan(0.04);
    hyperLogLog.resize(128);
    for (int i = 0; i < 5_000; i++) {
      hyperLogLog.add(KeyTruncation.hash(7, "b" + i), 2 * half);
      hyperLogLog.add(KeyTruncation.hash(7, "a" + i), 2 * half);
    }
    assertThat(hyperLogLog.error()).isGreaterThan(0.09);
    assertThat(hyperLogLog.count(2 * half)).isBetween(8_000L, 12_000L);
  }
}
