package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.insight.event.KeyTruncation;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many callers there were. */
class HyperLogLogTest {
  @ParameterizedTest
  @CsvSource({
    "1024,1",
    "1024,3",
    "1024,100",
    "1024,3000",
    "1024,1000000",
    "128,1",
    "128,200",
    "128,100000"
  })
  void theCountIsWithinFourErrors(int registers, int callers) {
    HyperLogLog hyperLogLog = new HyperLogLog(registers);
    Random random = new Random(callers);
    long[] hashes = random.longs(callers).toArray();
    for (int i = 0; i < 2 * callers; i++) {
      hyperLogLog.add(hashes[i % callers], 1_790_000_000_000L);
    }
    double off = 4 * hyperLogLog.error() * callers;
    assertThat((double) hyperLogLog.count(1_790_000_000_000L))
        .isBetween(Math.floor(callers - off), Math.ceil(callers + off));
  }

  /** A cached count is used only while it is still correct. */
  @Test
  void everyCountIsUpToDate() {
    HyperLogLog hyperLogLog = new HyperLogLog(1024);
    for (int i = 0; i < 200; i++) {
      assertThat(hyperLogLog.count(0)).isBetween(i - 5L - i / 10, i + 5L + i / 10);
      hyperLogLog.add(KeyTruncation.hash(5, "caller-" + i), 0);
    }
    assertThat(hyperLogLog.count(Duration.ofHours(47).toMillis())).isZero();
  }

  @Test
  void distinguishesSimilarKeys() {
    HyperLogLog hyperLogLog = new HyperLogLog(1024);
    for (int i = 0; i < 50_000; i++) {
      hyperLogLog.add(KeyTruncation.hash(5, "10.0." + i / 256 + "." + i % 256), 0);
    }
    assertThat((double) hyperLogLog.count(0)).isBetween(45_000.0, 55_000.0);
  }

  @Test
  void aRuleKnowsHowManyWereRefusedAndForgetsAfterADay() {
    InsightsFixture insightsFixture =
        new InsightsFixture("rules: [ { name: r, per: user, limit: 1 per hour } ]");
    for (int i = 0; i < 40; i++) {
      insightsFixture.request("user-" + i, i < 10 ? 2 : 1);
    }
    DistinctCallers distinctCallers =
        insightsFixture.query(() -> insightsFixture.insights.topCallers().census("r"));
    assertThat(distinctCallers.callers()).isBetween(38L, 42L);
    assertThat(distinctCallers.refused()).isBetween(9L, 11L);
    assertThat(distinctCallers.error()).isBetween(0.03, 0.035);
    insightsFixture.pass(Duration.ofHours(23));
    assertThat(insightsFixture.query(() -> insightsFixture.insights.topCallers().census("r")))
        .isEqualTo(distinctCallers);
    insightsFixture.pass(Duration.ofHours(14));
    assertThat(
            insightsFixture
                .query(() -> insightsFixture.insights.topCallers().census("r"))
                .callers())
        .isZero();
    assertThat(insightsFixture.query(() -> insightsFixture.insights.topCallers().census("no such")))
        .isEqualTo(DistinctCallers.NOBODY);
  }
}
