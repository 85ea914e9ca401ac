package io.weir.algorithm;

import static io.weir.algorithm.GcraTest.PRIME;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a token or leaky bucket makes of the debt that another limit has left it. */
class GcraInheritanceTest {
  @ParameterizedTest(name = "{0} per {1} ms, spent {2}; then {3}: {4} left, all in {5} ticks")
  @CsvSource({
    // old permits, period, spent, new permits, left, reset in ticks
    "     3,  10000,      3,          3,     0,  10000",
    "     3,  10000,      1,          3,     2,   3334",
    // more permits than before: the debt is kept as time
    "     3,  10000,      3,         30,     0,  10000",
    "     7,  10000,      5,         11,     3,   7143",
    " 20000,   1000,  20000,      40000,     0, 1000000",
    // fewer: it is kept as permits, also beyond the new capacity
    "     3,  10000,      3,          1,     0,  30000",
    "     3,  10000,      1,          2,     1,   5000",
    "     3,  10000,      2,          2,     0,  10000",
    "    40,  12000,     40,         10,     0,  48000",
    "    40,  12000,     10,         10,     0,  12000",
    "    15,  10000,     15,         10,     0,  15000",
    "  1000,  10000,   1000,         10,     0, 1000000",
    "100000,   1000,     10,        100,    90,     100",
  })
  void aDebtIsKeptAsTimeOrPermitsWhicheverIsLonger(
      long permits, long period, long spent, long newPermits, long left, long reset) {
    Timeline timeline = new Timeline(0);
    Duration span = Duration.ofMillis(period);
    Algorithm before = Algorithm.of(Limit.tokenBucket(permits).per(span), timeline);
    Limit.TokenBucket raised = Limit.tokenBucket(newPermits).per(span);
    Limit.TokenBucket changed = newPermits == 40000 ? raised.burst(40) : raised;
    Algorithm after = Algorithm.of(changed, timeline, before.roomUnder(changed));
    Bucket old = new Bucket(before.words());
    before.take(old, before.atMillis(0), before.atMillis(0), spent);

    long now = after.atMillis(0);
    Bucket heir = new Bucket(after.words());
    after.inherit(heir, now, before, before.atMillis(0), old);

    assertThat(after.remaining(heir, now)).isEqualTo(left);
    assertThat(after.resetIn(heir, now)).isEqualTo(reset);
    assertThat(after.isAstray(heir, now)).isFalse();
  }

  @ParameterizedTest(name = "queue of {0} per 10 s, then of {1}: {2} ticks")
  @CsvSource({"40, 10, 10000", "10, 40, 10000", "15, 10, 10000", "1000, 10, 10000"})
  void aQueueIsKeptAsTime(long permits, long newPermits, long reset) {
    Timeline timeline = new Timeline(0);
    Duration span = Duration.ofSeconds(10);
    Limit.LeakyBucket limit = new Limit.LeakyBucket(permits, span, permits - 1);
    Limit.LeakyBucket changed = new Limit.LeakyBucket(newPermits, span, 4);
    Algorithm before = Algorithm.of(limit, timeline);
    Algorithm after = Algorithm.of(changed, timeline, before.roomUnder(changed));
    long now = before.atMillis(0);
    Bucket old = new Bucket(1);
    before.take(old, now, now, permits);

    Bucket heir = new Bucket(1);
    after.inherit(heir, now, before, now, old);

    assertThat(after.resetIn(heir, now)).isEqualTo(reset);
    assertThat(after.remaining(heir, now)).isZero();
    assertThat(after.waitFor(heir, now, 1)).isEqualTo(reset - 4 * 10000 / newPermits);
  }

  @Test
  void aForcedChargeNeverShortensADebt() {
    Limit.LeakyBucket limit = new Limit.LeakyBucket(10, Duration.ofSeconds(10), 9);
    Algorithm algorithm = Algorithm.of(limit, new Timeline(0), 40);
    long now = algorithm.atMillis(0);
    Bucket bucket = new Bucket(1);
    algorithm.load(bucket, now + 30_000, 0);
    algorithm.force(bucket, now, 5);
    assertThat(algorithm.resetIn(bucket, now)).isEqualTo(35_000);
    algorithm.force(bucket, now, 1000);
    assertThat(algorithm.resetIn(bucket, now)).as("twice the room").isEqualTo(80_000);
    assertThat(algorithm.isAstray(bucket, now)).isFalse();
    assertThat(algorithm.isAstray(bucket, now - 4)).isTrue();
    algorithm.mend(bucket, now - 4);
    assertThat(algorithm.resetIn(bucket, now - 4)).as("spent by the room").isEqualTo(40_000);
  }

  @Test
  void aDebtIsRoundedUpBetweenTicksAndParts() {
    Timeline timeline = new Timeline(0);
    Algorithm fine = Algorithm.of(Limit.tokenBucket(3000).perSecond().burst(2), timeline);
    Algorithm coarse = Algorithm.of(Limit.tokenBucket(3500).perSecond(), timeline);
    assertThat(fine.nanos(1)).isEqualTo(1000);
    assertThat(coarse.nanos(1)).isEqualTo(1_000_000);

    Bucket old = new Bucket(1);
    fine.take(old, fine.atMillis(0), fine.atMillis(0), 1); // 333 1/3 microseconds
    Bucket heir = new Bucket(1);
    coarse.inherit(heir, coarse.atMillis(0), fine, fine.atMillis(0), old);
    // 7 parts make a millisecond: 1/3 ms are 2 1/3 parts, rounded up to 3.
    Bucket back = new Bucket(1);
    fine.inherit(back, fine.atMillis(0), coarse, coarse.atMillis(0), heir);

    assertThat(coarse.resetIn(heir, coarse.atMillis(0))).isEqualTo(1);
    // 3 parts are one and a half permits of 3500 a second, and those of 3000 take 500 microseconds.
    assertThat(fine.resetIn(back, fine.atMillis(0))).isEqualTo(500);
    assertThat(fine.resetIn(old, fine.atMillis(0))).isEqualTo(334);
  }

  @Test
  void packedAndUnpackedInheritFromEachOther() {
    Timeline timeline = new Timeline(0);
    Algorithm two = Algorithm.of(PRIME, timeline);
    Algorithm one =
        Algorithm.of(Limit.tokenBucket(Limit.MAX_PERMITS).per(Duration.ofDays(30)), timeline);
    long now = two.atMillis(0);
    Bucket old = new Bucket(2);
    two.take(old, now, now, 1_000_000);
    Bucket heir = new Bucket(1);
    one.inherit(heir, now, two, now, old);
    Bucket back = new Bucket(2);
    two.inherit(back, now, one, now, heir);

    BigInteger spent = BigInteger.valueOf(1_000_000L).multiply(BigInteger.valueOf(2_592_000_000L));
    long wholeTicks = spent.divide(BigInteger.valueOf(2_147_483_647)).longValueExact();
    assertThat(two.resetIn(old, now)).isEqualTo(wholeTicks + 1);
    assertThat(one.resetIn(heir, now)).isEqualTo(wholeTicks + 1);
    assertThat(two.resetIn(back, now)).isEqualTo(wholeTicks + 1);
  }
}
