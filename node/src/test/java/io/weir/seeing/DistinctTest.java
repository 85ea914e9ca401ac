package io.weir.seeing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many callers there were. */
class DistinctTest {
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
    Distinct distinct = new Distinct(registers);
    Random random = new Random(callers);
    long[] hashes = random.longs(callers).toArray();
    for (int i = 0; i < 2 * callers; i++) {
      distinct.add(hashes[i % callers], 1_790_000_000_000L);
    }
    double off = 4 * distinct.error() * callers;
    assertThat((double) distinct.count(1_790_000_000_000L))
        .isBetween(Math.floor(callers - off), Math.ceil(callers + off));
  }

  /** A cached count is used only while it is still correct. */
  @Test
  void everyCountIsUpToDate() {
    Distinct distinct = new Distinct(1024);
    for (int i = 0; i < 200; i++) {
      assertThat(distinct.count(0)).isBetween(i - 5L - i / 10, i + 5L + i / 10);
      distinct.add(LongKeys.hash(5, "caller-" + i), 0);
    }
    assertThat(distinct.count(Duration.ofHours(47).toMillis())).isZero();
  }

  @Test
  void distinguishesSimilarKeys() {
    Distinct distinct = new Distinct(1024);
    for (int i = 0; i < 50_000; i++) {
      distinct.add(LongKeys.hash(5, "10.0." + i / 256 + "." + i % 256), 0);
    }
    assertThat((double) distinct.count(0)).isBetween(45_000.0, 55_000.0);
  }

  @Test
  void aRuleKnowsHowManyWereRefusedAndForgetsAfterADay() {
    Seen seen = new Seen("rules: [ { name: r, per: user, limit: 1 per hour } ]");
    for (int i = 0; i < 40; i++) {
      seen.ask("user-" + i, i < 10 ? 2 : 1);
    }
    Census census = seen.told(() -> seen.watch.callers().census("r"));
    assertThat(census.callers()).isBetween(38L, 42L);
    assertThat(census.refused()).isBetween(9L, 11L);
    assertThat(census.error()).isBetween(0.03, 0.035);
    seen.pass(Duration.ofHours(23));
    assertThat(seen.told(() -> seen.watch.callers().census("r"))).isEqualTo(census);
    seen.pass(Duration.ofHours(14));
    assertThat(seen.told(() -> seen.watch.callers().census("r")).callers()).isZero();
    assertThat(seen.told(() -> seen.watch.callers().census("no such"))).isEqualTo(Census.NOBODY);
  }
}
