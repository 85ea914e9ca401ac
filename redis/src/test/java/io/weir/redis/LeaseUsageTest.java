package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When permits were spent, by clocks that begin anywhere: a lease of 80 nanoseconds. */
class LeaseUsageTest {
  private static final long LEASE = 80;

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MAX_VALUE - 40, Long.MIN_VALUE})
  void countsByEighths(long start) {
    LeaseUsage leaseUsage = new LeaseUsage(start, LEASE);
    assertThat(leaseUsage.isNew(start + 9)).isFalse();
    assertThat(leaseUsage.isNew(start + 10)).isTrue();
    leaseUsage.begin(start + 25, 5);
    assertThat(leaseUsage.isNew(start + 29)).isFalse();
    assertThat(leaseUsage.isNew(start + 30)).isTrue();
    leaseUsage.begin(start + 79, 7);
    assertThat(leaseUsage.counts(10)).containsExactly(5, 0, 2, 0, 0, 0, 0, 3);
    assertThat(leaseUsage.part(start + 29)).isEqualTo(2);
    assertThat(leaseUsage.age(2, start + 100)).isEqualTo(70);
    assertThat(leaseUsage.age(7, start + 75)).as("not over yet").isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 40})
  void countsUsageInTheLastEighthThatBegan(long start) {
    LeaseUsage leaseUsage = new LeaseUsage(start, LEASE);
    assertThat(leaseUsage.counts(4)).containsExactly(4, 0, 0, 0, 0, 0, 0, 0);
    leaseUsage.begin(start + 41, 4);
    assertThat(leaseUsage.counts(6)).containsExactly(4, 0, 0, 0, 2, 0, 0, 0);
  }

  /** Of five, two are put back, and spent again later. */
  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 40})
  void whatIsPutBackCountsWhenItIsSpentAgain(long start) {
    LeaseUsage leaseUsage = new LeaseUsage(start, LEASE);
    leaseUsage.begin(start + 15, 5);
    leaseUsage.putBack(2);
    leaseUsage.begin(start + 35, 3);
    assertThat(leaseUsage.counts(6)).containsExactly(3, 0, 0, 3, 0, 0, 0, 0);
    leaseUsage.putBack(4);
    assertThat(leaseUsage.counts(2))
        .as("more than were there")
        .containsExactly(0, 0, 0, 2, 0, 0, 0, 0);
  }

  /** A thread that gets the lock late finds that a later part has begun. */
  @ParameterizedTest
  @ValueSource(longs = {0, Long.MIN_VALUE})
  void lateSpenderDoesNotReopenAnEarlierEighth(long start) {
    LeaseUsage leaseUsage = new LeaseUsage(start, LEASE);
    leaseUsage.begin(start + 55, 1);
    leaseUsage.begin(start + 25, 9);
    assertThat(leaseUsage.counts(9)).containsExactly(1, 0, 0, 0, 0, 8, 0, 0);
  }
}
