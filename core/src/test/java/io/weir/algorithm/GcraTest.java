package io.weir.algorithm;

import static io.weir.algorithm.Script.play;
import static io.weir.algorithm.Script.playOnClock;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Token and leaky buckets as tables: at this time, after what came before, this happens. */
class GcraTest {
  private static final Limit.TokenBucket THREE = Limit.tokenBucket(3).per(Duration.ofSeconds(10));
  private static final Limit.LeakyBucket QUEUE =
      Limit.leakyBucket(3).per(Duration.ofSeconds(10)).queue(2);

  /** Too many parts a tick to share a word with the time. */
  private static final Limit.TokenBucket PRIME =
      Limit.tokenBucket(2_147_483_647).per(Duration.ofDays(30));

  @Test
  void refillsByTheInterval() {
    play(
        THREE,
        """
        at    | do     | answer | left | grows | reset | state
        -5000 | look   | .      | 3    | 0     | 0     | fresh
        0     | take 3 | yes    | 0    | 3334  | 10000 | used
        0     | take 1 | 3334   | 0    | 3334  | 10000 | used
        3333  | take 1 | 1      | 0    | 1     | 6667  | used
        3333  | take 3 | 6667   | 0    | 1     | 6667  | used
        3334  | look   | .      | 1    | 3333  | 6666  | used
        3334  | take 1 | yes    | 0    | 3333  | 10000 | used
        6666  | take 1 | 1      | 0    | 1     | 6668  | used
        6667  | take 1 | yes    | 0    | 3333  | 10000 | used
        9999  | look   | .      | 0    | 1     | 6668  | used
        13333 | look   | .      | 1    | 1     | 3334  | used
        16666 | look   | .      | 2    | 1     | 1     | used
        16667 | look   | .      | 3    | 0     | 0     | fresh
        16667 | take 4 | never  | 3    | 0     | 0     | fresh
        99999 | take 3 | yes    | 0    | 3334  | 10000 | used
        """);
  }

  @Test
  void whatOverflowsIsLost() {
    play(
        THREE,
        """
        at     | do     | answer | left | grows | reset | state
        0      | take 1 | yes    | 2    | 3334  | 3334  | used
        3333   | take 1 | yes    | 1    | 1     | 3334  | used
        100000 | take 1 | yes    | 2    | 3334  | 3334  | used
        """);
  }

  @Test
  void aBurstIsFilledAtTheRate() {
    play(
        Limit.tokenBucket(10).perSecond().burst(100),
        """
        at   | do      | answer | left | grows | reset | state
        0    | take 95 | yes    | 5    | 100   | 9500  | used
        0    | take 6  | 100    | 5    | 100   | 9500  | used
        99   | take 6  | 1      | 5    | 1     | 9401  | used
        100  | take 6  | yes    | 0    | 100   | 10000 | used
        9999 | take 99 | 1      | 98   | 1     | 101   | used
        """);
  }

  @Test
  void aBucketOfTwoWordsIsAsExact() {
    assertThat(Algorithm.of(PRIME, new Timeline(0)).words()).isEqualTo(2);
    play(
        PRIME,
        """
        at         | do              | answer     | left       | grows | reset      | state
        0          | look            | .          | 2147483647 | 0     | 0          | fresh
        0          | take 2147483647 | yes        | 0          | 2     | 2592000000 | used
        0          | take 1          | 2          | 0          | 2     | 2592000000 | used
        1          | take 1          | 1          | 0          | 1     | 2591999999 | used
        2          | look            | .          | 1          | 1     | 2591999998 | used
        3          | look            | .          | 2          | 1     | 2591999997 | used
        4          | look            | .          | 3          | 1     | 2591999996 | used
        5          | look            | .          | 4          | 2     | 2591999995 | used
        1000000    | take 828505     | 1          | 828504     | 1     | 2591000000 | used
        1000001    | take 828505     | yes        | 0          | 1     | 2592000000 | used
        2592000000 | take 2147483647 | 1000001    | 2146655142 | 2     | 1000001    | used
        2593000001 | look            | .          | 2147483647 | 0     | 0          | fresh
        """);
  }

  @Test
  void aMicrosecondsBucketCountsMicroseconds() {
    Limit.TokenBucket fast = Limit.tokenBucket(10_000).perSecond().burst(2);
    assertThat(fast.tick()).isEqualTo(Duration.ofNanos(1000));
    playOnClock(
        fast,
        """
        at       | do     | answer | left | grows | reset | state
        0        | take 2 | yes    | 0    | 100   | 200   | used
        0.099    | take 1 | 1      | 0    | 1     | 101   | used
        0.099999 | take 1 | 1      | 0    | 1     | 101   | used
        0.1      | take 1 | yes    | 0    | 100   | 200   | used
        0.299    | look   | .      | 1    | 1     | 1     | used
        0.3      | look   | .      | 2    | 0     | 0     | fresh
        1.000001 | take 2 | yes    | 0    | 100   | 200   | used
        """);
    play(
        fast,
        """
        at | do     | answer | left | grows | reset | state
        0  | take 2 | yes    | 0    | 100   | 200   | used
        1  | take 1 | yes    | 1    | 100   | 100   | used
        """);
  }

  @Test
  void aClockFinerThanATickIsRoundedDown() {
    playOnClock(
        THREE,
        """
        at          | do     | answer | left
        0.999999    | take 3 | yes    | 0
        3333.999999 | take 1 | 1      | 0
        3334        | take 1 | yes    | 0
        """);
  }

  @Test
  void aLeakyBucketHoldsRequestsUntilTheirTurn() {
    play(
        QUEUE,
        """
        at    | do     | answer    | left | grows | reset | state
        0     | look   | .         | 3    | 0     | 0     | fresh
        0     | take 1 | yes       | 2    | 3334  | 3334  | used
        0     | take 1 | yes+3334  | 1    | 3334  | 6667  | used
        0     | take 2 | 3334      | 1    | 3334  | 6667  | used
        3334  | take 2 | yes+3333  | 0    | 3333  | 10000 | used
        6666  | take 1 | 1         | 0    | 1     | 6668  | used
        6667  | take 1 | yes+6667  | 0    | 3333  | 10000 | used
        16667 | take 3 | yes       | 0    | 3334  | 10000 | used
        16667 | take 4 | never     | 0    | 3334  | 10000 | used
        """);
  }

  @Test
  void zeroPermitsRefuseForEver() {
    play(
        Limit.tokenBucket(0).perSecond(),
        """
        at  | do     | answer | left | grows | reset | state
        0   | take 1 | never  | 0    | 0     | 0     | fresh
        1e9 | take 1 | never  | 0    | 0     | 0     | fresh
        """);
  }

  @Test
  void reservationsReachOneRefillAhead() {
    play(
        THREE,
        """
        at    | do        | answer | left | grows | reset | state
        0     | reserve 3 | 0      | 0    | 3334  | 10000 | used
        0     | reserve 1 | 3334   | 0    | 6667  | 13334 | used
        0     | reserve 2 | 10000  | 0    | 13334 | 20000 | used
        0     | reserve 1 | no     | 0    | 13334 | 20000 | used
        1     | reserve 1 | no     | 0    | 13333 | 19999 | used
        3334  | reserve 1 | 10000  | 0    | 13333 | 20000 | used
        16666 | take 1    | 1      | 0    | 1     | 6668  | used
        16667 | take 1    | yes    | 0    | 3333  | 10000 | used
        """);
  }

  @Test
  void aLeakyReservationWaitsForRoomAndThenForItsTurn() {
    play(
        QUEUE,
        """
        at | do        | answer   | left | grows | reset | state
        0  | take 3    | yes      | 0    | 3334  | 10000 | used
        0  | reserve 1 | 10000    | 0    | 6667  | 13334 | used
        """);
  }

  @Test
  void aTokenBucketGivesBackOnlyWhatHasNotFlowedBack() {
    play(
        THREE,
        """
        at    | do          | answer | left | grows | reset | state
        0     | take 3 as a | yes    | 0    | 3334  | 10000 | used
        0     | cancel a    | .      | 3    | 0     | 0     | fresh
        0     | take 3 as b | yes    | 0    | 3334  | 10000 | used
        4000  | take 1      | yes    | 0    | 2667  | 9334  | used
        4000  | cancel b    | .      | 2    | 3334  | 3334  | used
        8000  | look        | .      | 3    | 0     | 0     | fresh
        10000 | take 1 as c | yes    | 2    | 3334  | 3334  | used
        10000 | take 2      | yes    | 0    | 3334  | 10000 | used
        13333 | cancel c    | .      | 1    | 3334  | 6667  | used
        20000 | take 1 as d | yes    | 2    | 3334  | 3334  | used
        20000 | take 2      | yes    | 0    | 3334  | 10000 | used
        23334 | cancel d    | .      | 1    | 3333  | 6666  | used
        40000 | take 3 as e | yes    | 0    | 3334  | 10000 | used
        40000 | settle e 1  | .      | 2    | 3334  | 3334  | used
        """);
  }

  @Test
  void aLeakyBucketGivesBackTheLastPlaceOnly() {
    play(
        QUEUE,
        """
        at    | do          | answer    | left | grows | reset | state
        0     | take 1 as a | yes       | 2    | 3334  | 3334  | used
        0     | take 1 as b | yes+3334  | 1    | 3334  | 6667  | used
        0     | cancel a    | .         | 1    | 3334  | 6667  | used
        0     | cancel b    | .         | 2    | 3334  | 3334  | used
        0     | cancel a    | .         | 3    | 0     | 0     | fresh
        0     | take 1 as c | yes       | 2    | 3334  | 3334  | used
        3333  | look        | .         | 2    | 1     | 1     | used
        3334  | cancel c    | .         | 3    | 0     | 0     | fresh
        3334  | take 1      | yes       | 2    | 3334  | 3334  | used
        """);
  }

  @Test
  void aRefundNeverMakesMoreThanFull() {
    play(
        THREE,
        """
        at | do                         | answer | left | grows | reset | state
        0  | take 3                     | yes    | 0    | 3334  | 10000 | used
        0  | refund 1                   | .      | 1    | 3334  | 6667  | used
        0  | refund 9                   | .      | 3    | 0     | 0     | fresh
        0  | take 3                     | yes    | 0    | 3334  | 10000 | used
        0  | refund 9223372036854775807 | .      | 3    | 0     | 0     | fresh
        0  | take 3                     | yes    | 0    | 3334  | 10000 | used
        """);
  }

  @Test
  void aForcedChargeIsOwedUpToTwoCapacities() {
    play(
        THREE,
        """
        at    | do                        | answer | left | grows | reset | state
        0     | take 3                    | yes    | 0    | 3334  | 10000 | used
        0     | force 1                   | .      | 0    | 6667  | 13334 | used
        0     | force 1                   | .      | 0    | 10000 | 16667 | used
        0     | force 9223372036854775807 | .      | 0    | 13334 | 20000 | used
        0     | force 1                   | .      | 0    | 13334 | 20000 | used
        13333 | take 1                    | 1      | 0    | 1     | 6667  | used
        13334 | take 1                    | yes    | 0    | 3333  | 10000 | used
        99999 | force 1                   | .      | 2    | 3334  | 3334  | used
        """);
    play(
        PRIME,
        """
        at | do                        | answer | left | grows      | reset
        0  | force 9223372036854775807 | .      | 0    | 2592000002 | 5184000000
        """);
  }

  @Test
  void aClockPutBackCreditsNothingAndFreezesNothing() {
    play(
        THREE,
        """
        at      | do     | answer | left | grows | reset | state
        100000  | take 3 | yes    | 0    | 3334  | 10000 | used
        99000   | take 1 | 4334   | 0    | 4334  | 11000 | used
        90000   | take 1 | 13334  | 0    | 13334 | 20000 | used
        89997   | take 1 | 13337  | 0    | 13337 | 20003 | used
        89996   | look   | .      | 0    | 3334  | 10000 | used
        -100000 | take 1 | 3334   | 0    | 3334  | 10000 | used
        -96666  | take 1 | yes    | 0    | 3333  | 10000 | used
        """);
  }

  @Test
  void aForcedDebtIsExactToThePart() {
    play(
        Limit.tokenBucket(3).per(Duration.ofSeconds(10)).burst(2),
        """
        at | do                        | answer | left | grows | reset | state
        0  | take 2                    | yes    | 0    | 3334  | 6667  | used
        0  | force 9223372036854775807 | .      | 0    | 10000 | 13334 | used
        """);
  }

  @Test
  void whatIsGivenBackIsExactToThePart() {
    play(
        THREE,
        """
        at    | do          | answer | left | grows | reset | state
        0     | take 1      | yes    | 2    | 3334  | 3334  | used
        0     | take 1 as a | yes    | 1    | 3334  | 6667  | used
        3333  | cancel a    | .      | 2    | 1     | 1     | used
        20000 | take 2      | yes    | 1    | 3334  | 6667  | used
        20000 | take 1 as b | yes    | 0    | 3334  | 10000 | used
        26667 | take 2      | yes    | 0    | 3333  | 10000 | used
        26667 | cancel b    | .      | 1    | 3334  | 6667  | used
        """);
  }

  @ParameterizedTest(name = "{0} per {1} ms, burst {2}: {3} words")
  @CsvSource({
    "1048576, 1001, 1048576, 1", // 20 bits beside 43
    "1048577, 1001, 1048577, 2",
    "1023,       7,     200, 1", // 10 bits beside 53
    "1027,       7,     200, 2",
  })
  void isOneWordWhileTimeAndPartsFit(long permits, long period, long burst, int words) {
    Limit limit = new Limit.TokenBucket(permits, Duration.ofMillis(period), burst);
    assertThat(Algorithm.of(limit, new Timeline(0)).words()).isEqualTo(words);
  }

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

  /** For every number of permits, one after the other from full: exactly the rational model. */
  @ParameterizedTest(name = "{0} per {1} ms, burst {2}")
  @CsvSource({
    "1, 1, 1",
    "1, 1, 5",
    "7, 1000, 7",
    "1000, 7, 300",
    "1000, 1, 2",
    "999, 1000, 4",
    "1001, 1000, 4",
    "2147483647, 2592000000, 5",
    "2147483648, 1000, 2147483648",
    "2147483648, 1577880000000, 2147483648",
    "1, 1577880000000, 1",
  })
  void isTheRationalModel(long permits, long period, long burst) {
    Limit.TokenBucket limit = Limit.tokenBucket(permits).per(Duration.ofMillis(period));
    Algorithm algorithm = Algorithm.of(limit.burst(burst), new Timeline(0));
    long ticksPerMilli = 1_000_000 / algorithm.nanos(1);
    BigInteger periodTicks = BigInteger.valueOf(period * ticksPerMilli);
    long now = algorithm.atMillis(0);
    for (long spent = burst; spent > 0; spent = spent > 8 ? spent / 3 : spent - 1) {
      Bucket bucket = new Bucket(algorithm.words());
      algorithm.take(bucket, now, now, spent);
      long rest = burst - spent;
      assertThat(algorithm.remaining(bucket, now)).isEqualTo(rest);
      assertThat(algorithm.resetIn(bucket, now)).isEqualTo(ceil(spent, periodTicks, permits));
      assertThat(algorithm.waitFor(bucket, now, rest + 1)).isEqualTo(ceil(1, periodTicks, permits));
      assertThat(algorithm.waitFor(bucket, now, burst))
          .isEqualTo(ceil(spent, periodTicks, permits));
      long half = algorithm.waitFor(bucket, now, burst) / 2;
      BigInteger flowedIn =
          BigInteger.valueOf(half).multiply(BigInteger.valueOf(permits)).divide(periodTicks);
      assertThat(algorithm.remaining(bucket, now + half))
          .isEqualTo(Math.min(burst, rest + flowedIn.longValueExact()));
    }
  }

  private static long ceil(long permits, BigInteger periodTicks, long permitsPerPeriod) {
    BigInteger[] pair =
        BigInteger.valueOf(permits)
            .multiply(periodTicks)
            .divideAndRemainder(BigInteger.valueOf(permitsPerPeriod));
    return pair[0].longValueExact() + pair[1].signum();
  }
}
