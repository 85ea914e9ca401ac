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
  @Test
  void anInheritedDebtIsCappedToThePart() {
    Timeline timeline = new Timeline(0);
    Duration period = Duration.ofSeconds(10);
    Algorithm before = Algorithm.of(Limit.tokenBucket(20_000).per(period), timeline);
    Algorithm after = Algorithm.of(Limit.tokenBucket(3).per(period).burst(1), timeline);
    long now = before.atMillis(0);
    Bucket old = new Bucket(1);
    before.take(old, now, now, 6667); // 3333.5 ms, where a full debt is 3333 1/3
    Bucket heir = new Bucket(1);
    after.inherit(heir, now, before, old);
    Bucket spent = new Bucket(1);
    after.take(spent, now, now, 1);
    assertThat(heir.word(0)).isEqualTo(spent.word(0));
  }

  @ParameterizedTest(name = "{0}, spent {1}; then {2}: {3} left, all in {4} ticks")
  @CsvSource({
    // old permits per period, spent, new permits, left, reset in ticks
    "     3,  10000,      3,          3,     0,  10000",
    "     3,  10000,      1,          3,     2,   3334",
    "     3,  10000,      3,         30,     0,  10000",
    "     3,  10000,      3,          1,     0,  10000",
    "     3,  10000,      1,          2,     1,   3334",
    "     7,  10000,      5,         11,     3,   7143",
    // debts as time between millisecond and microsecond ticks
    " 20000,   1000,  20000,      40000,     0, 1000000",
    "100000,   1000,     10,        100,    99,       1",
  })
  void aDebtIsKeptAsTime(
      long permits, long period, long spent, long newPermits, long left, long reset) {
    Timeline timeline = new Timeline(0);
    Duration span = Duration.ofMillis(period);
    Algorithm before = Algorithm.of(Limit.tokenBucket(permits).per(span), timeline);
    Limit.TokenBucket changed = Limit.tokenBucket(newPermits).per(span);
    Algorithm after = Algorithm.of(newPermits == 40000 ? changed.burst(40) : changed, timeline);
    Bucket old = new Bucket(before.words());
    before.take(old, before.atMillis(0), before.atMillis(0), spent);

    Bucket heir = new Bucket(after.words());
    after.inherit(heir, after.atMillis(0), before, old);

    if (newPermits == 40000) {
      assertThat(after.nanos(after.resetIn(heir, after.atMillis(0)))).isEqualTo(1_000_000);
      assertThat(after.remaining(heir, after.atMillis(0))).isZero();
    } else {
      assertThat(after.remaining(heir, after.atMillis(0))).isEqualTo(left);
      assertThat(after.resetIn(heir, after.atMillis(0))).isEqualTo(reset);
    }
  }

  @Test
  void aDebtIsRoundedUpBetweenTicksAndParts() {
    Timeline timeline = new Timeline(0);
    Algorithm fine = Algorithm.of(Limit.tokenBucket(3000).perSecond().burst(2), timeline);
    Algorithm coarse = Algorithm.of(Limit.tokenBucket(7).perSecond().burst(7), timeline);
    assertThat(fine.nanos(1)).isEqualTo(1000);
    assertThat(coarse.nanos(1)).isEqualTo(1_000_000);

    Bucket old = new Bucket(1);
    fine.take(old, fine.atMillis(0), fine.atMillis(0), 1); // 333 1/3 microseconds
    Bucket heir = new Bucket(1);
    coarse.inherit(heir, coarse.atMillis(0), fine, old);
    // 7 parts make a millisecond: 1/3 ms are 2 1/3 parts, rounded up to 3.
    Bucket back = new Bucket(1);
    fine.inherit(back, fine.atMillis(0), coarse, heir);

    assertThat(coarse.resetIn(heir, coarse.atMillis(0))).isEqualTo(1);
    assertThat(fine.resetIn(back, fine.atMillis(0))).isEqualTo(429);
    assertThat(fine.resetIn(old, fine.atMillis(0))).isEqualTo(334);
  }

  @Test
  void packedAndUnpackedInheritFromEachOther() {
    Timeline timeline = new Timeline(0);
    Algorithm two = Algorithm.of(PRIME, timeline);
    Algorithm one = Algorithm.of(Limit.tokenBucket(30).per(Duration.ofDays(30)), timeline);
    long now = two.atMillis(0);
    Bucket old = new Bucket(2);
    two.take(old, now, now, 1_000_000);
    Bucket heir = new Bucket(1);
    one.inherit(heir, now, two, old);
    Bucket back = new Bucket(2);
    two.inherit(back, now, one, heir);

    BigInteger spent = BigInteger.valueOf(1_000_000L).multiply(BigInteger.valueOf(2_592_000_000L));
    long wholeTicks = spent.divide(BigInteger.valueOf(2_147_483_647)).longValueExact();
    assertThat(two.resetIn(old, now)).isEqualTo(wholeTicks + 1);
    assertThat(one.resetIn(heir, now)).isEqualTo(wholeTicks + 1);
    assertThat(two.resetIn(back, now)).isEqualTo(wholeTicks + 1);
  }
}
