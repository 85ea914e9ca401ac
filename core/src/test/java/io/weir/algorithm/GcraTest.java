package io.weir.algorithm;

import static io.weir.algorithm.BucketScript.play;
import static io.weir.algorithm.BucketScript.playOnClock;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Token and leaky buckets as tables: at this time, after what came before, this happens. */
class GcraTest {
  static final Limit.TokenBucket THREE = Limit.tokenBucket(3).per(Duration.ofSeconds(10));
  static final Limit.LeakyBucket QUEUE = Limit.leakyBucket(3).per(Duration.ofSeconds(10)).queue(2);

  /** Too many parts a tick to share a word with the time. */
  static final Limit.TokenBucket PRIME = Limit.tokenBucket(2_147_483_647).per(Duration.ofDays(30));

  @Test
  void refillsByTheInterval() {
    play(
        THREE,
        """
        at    | do     | result | left | grows | reset | state
        -5000 | look   | .      | 3    | 0     | 0     | fresh
        0     | take 3 | ok     | 0    | 3334  | 10000 | used
        0     | take 1 | 3334   | 0    | 3334  | 10000 | used
        3333  | take 1 | 1      | 0    | 1     | 6667  | used
        3333  | take 3 | 6667   | 0    | 1     | 6667  | used
        3334  | look   | .      | 1    | 3333  | 6666  | used
        3334  | take 1 | ok     | 0    | 3333  | 10000 | used
        6666  | take 1 | 1      | 0    | 1     | 6668  | used
        6667  | take 1 | ok     | 0    | 3333  | 10000 | used
        9999  | look   | .      | 0    | 1     | 6668  | used
        13333 | look   | .      | 1    | 1     | 3334  | used
        16666 | look   | .      | 2    | 1     | 1     | used
        16667 | look   | .      | 3    | 0     | 0     | fresh
        16667 | take 4 | never  | 3    | 0     | 0     | fresh
        99999 | take 3 | ok     | 0    | 3334  | 10000 | used
        """);
  }

  @Test
  void whatOverflowsIsLost() {
    play(
        THREE,
        """
        at     | do     | result | left | grows | reset | state
        0      | take 1 | ok     | 2    | 3334  | 3334  | used
        3333   | take 1 | ok     | 1    | 1     | 3334  | used
        100000 | take 1 | ok     | 2    | 3334  | 3334  | used
        """);
  }

  @Test
  void aBurstIsFilledAtTheRate() {
    play(
        Limit.tokenBucket(10).perSecond().burst(100),
        """
        at   | do      | result | left | grows | reset | state
        0    | take 95 | ok     | 5    | 100   | 9500  | used
        0    | take 6  | 100    | 5    | 100   | 9500  | used
        99   | take 6  | 1      | 5    | 1     | 9401  | used
        100  | take 6  | ok     | 0    | 100   | 10000 | used
        9999 | take 99 | 1      | 98   | 1     | 101   | used
        """);
  }

  @Test
  void aBucketOfTwoWordsIsAsExact() {
    assertThat(Algorithm.of(PRIME, new Timeline(0)).words()).isEqualTo(2);
    play(
        PRIME,
        """
        at         | do              | result     | left       | grows | reset      | state
        0          | look            | .          | 2147483647 | 0     | 0          | fresh
        0          | take 2147483647 | ok         | 0          | 2     | 2592000000 | used
        0          | take 1          | 2          | 0          | 2     | 2592000000 | used
        1          | take 1          | 1          | 0          | 1     | 2591999999 | used
        2          | look            | .          | 1          | 1     | 2591999998 | used
        3          | look            | .          | 2          | 1     | 2591999997 | used
        4          | look            | .          | 3          | 1     | 2591999996 | used
        5          | look            | .          | 4          | 2     | 2591999995 | used
        1000000    | take 828505     | 1          | 828504     | 1     | 2591000000 | used
        1000001    | take 828505     | ok         | 0          | 1     | 2592000000 | used
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
        at       | do     | result | left | grows | reset | state
        0        | take 2 | ok     | 0    | 100   | 200   | used
        0.099    | take 1 | 1      | 0    | 1     | 101   | used
        0.099999 | take 1 | 1      | 0    | 1     | 101   | used
        0.1      | take 1 | ok     | 0    | 100   | 200   | used
        0.299    | look   | .      | 1    | 1     | 1     | used
        0.3      | look   | .      | 2    | 0     | 0     | fresh
        1.000001 | take 2 | ok     | 0    | 100   | 200   | used
        """);
    play(
        fast,
        """
        at | do     | result | left | grows | reset | state
        0  | take 2 | ok     | 0    | 100   | 200   | used
        1  | take 1 | ok     | 1    | 100   | 100   | used
        """);
  }

  @Test
  void aClockFinerThanATickIsRoundedDown() {
    playOnClock(
        THREE,
        """
        at          | do     | result | left
        0.999999    | take 3 | ok     | 0
        3333.999999 | take 1 | 1      | 0
        3334        | take 1 | ok     | 0
        """);
  }

  @Test
  void aLeakyBucketHoldsRequestsUntilTheirTurn() {
    play(
        QUEUE,
        """
        at    | do     | result    | left | grows | reset | state
        0     | look   | .         | 3    | 0     | 0     | fresh
        0     | take 1 | ok        | 2    | 3334  | 3334  | used
        0     | take 1 | ok+3334   | 1    | 3334  | 6667  | used
        0     | take 2 | 3334      | 1    | 3334  | 6667  | used
        3334  | take 2 | ok+3333   | 0    | 3333  | 10000 | used
        6666  | take 1 | 1         | 0    | 1     | 6668  | used
        6667  | take 1 | ok+6667   | 0    | 3333  | 10000 | used
        16667 | take 3 | ok        | 0    | 3334  | 10000 | used
        16667 | take 4 | never     | 0    | 3334  | 10000 | used
        """);
  }

  @Test
  void zeroPermitsRefuseForEver() {
    play(
        Limit.tokenBucket(0).perSecond(),
        """
        at  | do     | result | left | grows | reset | state
        0   | take 1 | never  | 0    | 0     | 0     | fresh
        1e9 | take 1 | never  | 0    | 0     | 0     | fresh
        """);
  }

  @Test
  void aClockPutBackCreditsNothingAndFreezesNothing() {
    play(
        THREE,
        """
        at      | do     | result | left | grows | reset | state
        100000  | take 3 | ok     | 0    | 3334  | 10000 | used
        99000   | take 1 | 4334   | 0    | 4334  | 11000 | used
        90000   | take 1 | 13334  | 0    | 13334 | 20000 | used
        89997   | take 1 | 13337  | 0    | 13337 | 20003 | used
        89996   | look   | .      | 0    | 3334  | 10000 | used
        -100000 | take 1 | 3334   | 0    | 3334  | 10000 | used
        -96666  | take 1 | ok     | 0    | 3333  | 10000 | used
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
