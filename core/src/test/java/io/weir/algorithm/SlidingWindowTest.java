package io.weir.algorithm;

import static io.weir.algorithm.BucketScript.play;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two counters and the overlap, as tables. */
class SlidingWindowTest {
  private static final Limit.SlidingWindow SEVEN =
      Limit.slidingWindow(7).per(Duration.ofSeconds(10));
  private static final Limit.SlidingWindow HUGE =
      Limit.slidingWindow(1L << 31).per(Duration.ofSeconds(1));

  @Test
  void weighsThePreviousWindowByItsOverlap() {
    play(
        SEVEN,
        """
        at    | do     | result | left | grows | reset | state
        0     | look   | .      | 7    | 0     | 10000 | fresh
        9999  | take 5 | ok     | 2    | 2     | 1     | used
        10000 | look   | .      | 2    | 1     | 10000 | used
        10001 | take 3 | ok     | 0    | 2000  | 9999  | used
        10001 | take 4 | 8000   | 0    | 2000  | 9999  | used
        12000 | take 1 | 1      | 0    | 1     | 8000  | used
        12001 | look   | .      | 1    | 2000  | 7999  | used
        13000 | take 1 | ok     | 0    | 1001  | 7000  | used
        14001 | take 1 | ok     | 0    | 2000  | 5999  | used
        14001 | take 7 | 14000  | 0    | 2000  | 5999  | used
        20000 | look   | .      | 2    | 1     | 10000 | used
        30000 | look   | .      | 7    | 0     | 10000 | fresh
        """);
  }

  @Test
  void seenTwoWindowsLaterBothCountersAreNothing() {
    play(
        SEVEN,
        """
        at    | do     | result | left | grows | reset | state
        0     | take 7 | ok     | 0    | 10001 | 10000 | used
        19999 | look   | .      | 7    | 0     | 1     | used
        19999 | take 7 | ok     | 0    | 2     | 1     | used
        20000 | take 1 | 1      | 0    | 1     | 10000 | used
        40000 | take 7 | ok     | 0    | 10001 | 10000 | used
        40000 | take 8 | never  | 0    | 10001 | 10000 | used
        """);
  }

  @Test
  void threeWordsCountLikeOne() {
    assertThat(Algorithm.of(HUGE, new Timeline(0)).words()).isEqualTo(3);
    assertThat(Algorithm.of(SEVEN, new Timeline(0)).words()).isEqualTo(1);
    // twice 16 bits of count beside 31 and 32 bits of window
    assertThat(words(Limit.slidingWindow(65_535).per(Duration.ofMillis(3000)))).isEqualTo(1);
    assertThat(words(Limit.slidingWindow(65_535).per(Duration.ofMillis(2000)))).isEqualTo(3);
    play(
        HUGE,
        """
        at   | do              | result | left       | grows | reset | state
        0    | take 2147483648 | ok     | 0          | 1001  | 1000  | used
        1000 | take 1          | 1      | 0          | 1     | 1000  | used
        1001 | look            | .      | 2147484    | 1     | 999   | used
        1500 | take 1073741824 | ok     | 0          | 1     | 500   | used
        1500 | refund 824      | .      | 824        | 1     | 500   | used
        2000 | look            | .      | 1073742648 | 1     | 1000  | used
        3000 | look            | .      | 2147483648 | 0     | 1000  | fresh
        """);
  }

  @Test
  void aReservationMayWaitForTheOverlapOrForTheNextWindow() {
    play(
        SEVEN,
        """
        at    | do             | result | left | grows | reset | state
        5000  | take 7         | ok     | 0    | 5001  | 5000  | used
        5000  | reserve 1 as a | 5001   | 0    | 6429  | 5000  | used
        5000  | reserve 6 as b | 13572  | 0    | 15001 | 5000  | used
        5000  | reserve 1      | none   | 0    | 15001 | 5000  | used
        5000  | cancel b       | .      | 0    | 6429  | 5000  | used
        5000  | cancel a       | .      | 0    | 5001  | 5000  | used
        10001 | take 1         | ok     | 0    | 1428  | 9999  | used
        """);
  }

  @Test
  void givesBackToTheWindowThatWasChargedWhileItCounts() {
    play(
        SEVEN,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 4 as a | ok     | 3    | 10001 | 10000 | used
        10000 | take 2 as b | ok     | 1    | 1     | 10000 | used
        10000 | settle a 1  | .      | 4    | 1     | 10000 | used
        10000 | cancel b    | .      | 6    | 1     | 10000 | used
        10000 | cancel a    | .      | 7    | 0     | 10000 | fresh
        20000 | take 1 as c | ok     | 6    | 10001 | 10000 | used
        20000 | cancel a    | .      | 6    | 10001 | 10000 | used
        40000 | cancel c    | .      | 7    | 0     | 10000 | fresh
        """);
  }

  @Test
  void refundsTheCurrentWindowFirst() {
    play(
        SEVEN,
        """
        at    | do                         | result | left | grows | reset | state
        0     | take 4                     | ok     | 3    | 10001 | 10000 | used
        10000 | take 3                     | ok     | 0    | 1     | 10000 | used
        10000 | refund 2                   | .      | 2    | 1     | 10000 | used
        10000 | refund 2                   | .      | 4    | 1     | 10000 | used
        10000 | take 1                     | ok     | 3    | 1     | 10000 | used
        10000 | refund 9223372036854775807 | .      | 7    | 0     | 10000 | fresh
        """);
  }

  @Test
  void aForcedChargeFillsTheWindow() {
    play(
        SEVEN,
        """
        at    | do                        | result | left | grows | reset | state
        0     | take 7                    | ok     | 0    | 10001 | 10000 | used
        10000 | force 2                   | .      | 0    | 2858  | 10000 | used
        10000 | force 9223372036854775807 | .      | 0    | 10001 | 10000 | used
        9999  | force 1                   | .      | 0    | 10002 | 1     | used
        20000 | look                      | .      | 0    | 1     | 10000 | used
        30000 | look                      | .      | 7    | 0     | 10000 | fresh
        """);
  }

  @Test
  void aClockPutBackCreditsNothingAndFreezesNothing() {
    play(
        SEVEN,
        """
        at    | do     | result | left | grows | reset | state
        30000 | take 2 | ok     | 5    | 10001 | 10000 | used
        29999 | take 1 | 1      | 0    | 1     | 1     | used
        20000 | take 1 | 10000  | 0    | 10000 | 10000 | used
        19999 | take 1 | 2      | 0    | 2     | 1     | used
        20001 | take 1 | ok     | 0    | 1428  | 9999  | used
        """);
  }

  @Test
  void freshMeansThatNeitherCounterCanCountAgain() {
    play(
        SEVEN,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 1 as a | ok     | 6    | 10001 | 10000 | used
        10000 | look        | .      | 6    | 1     | 10000 | used
        10001 | look        | .      | 7    | 0     | 9999  | used
        20000 | look        | .      | 7    | 0     | 10000 | fresh
        20000 | take 1 as b | ok     | 6    | 10001 | 10000 | used
        20000 | cancel b    | .      | 7    | 0     | 10000 | fresh
        20000 | take 1      | ok     | 6    | 10001 | 10000 | used
        30000 | take 1 as c | ok     | 5    | 1     | 10000 | used
        30000 | cancel c    | .      | 6    | 1     | 10000 | used
        40000 | look        | .      | 7    | 0     | 10000 | fresh
        """);
  }

  @ParameterizedTest(name = "{0} and {1} of 7 are {2} and {3} of {4}")
  @CsvSource({"4, 3, 4, 3, 9", "4, 3, 4, 3, 4", "4, 3, 4, 3, 2"})
  void countsAreKeptAsCountsAlsoAboveTheCapacity(
      long previous, long current, long keptPrevious, long kept, long permits) {
    Timeline timeline = new Timeline(0);
    Algorithm before = Algorithm.of(SEVEN, timeline);
    Algorithm after =
        Algorithm.of(Limit.slidingWindow(permits).per(Duration.ofSeconds(10)), timeline, 7);
    long then = before.atMillis(0);
    long now = before.atMillis(10_000);
    Bucket old = new Bucket(1);
    before.take(old, then, then, previous);
    before.take(old, now, now, current);

    Bucket heir = new Bucket(1);
    after.inherit(heir, now, before, now, old);

    assertThat(after.remaining(heir, now)).isEqualTo(Math.max(0, permits - keptPrevious - kept));
    assertThat(after.remaining(heir, before.atMillis(15_000)))
        .isEqualTo(Math.max(0, permits - keptPrevious / 2 - kept));
    assertThat(after.remaining(heir, before.atMillis(20_000)))
        .isEqualTo(Math.max(0, permits - kept));
    assertThat(after.remaining(heir, before.atMillis(30_000))).isEqualTo(permits);
  }

  @ParameterizedTest(name = "{0} per {1} ms, {2} before")
  @CsvSource({
    "7, 10, 7",
    "1000, 7, 999",
    "2147483648, 1, 2147483648",
    "2147483648, 1577880000000, 2147483648",
    "2147483647, 1577880000000, 1234567891",
    "5, 1577880000000, 3",
  })
  void theWaitIsTheFirstMomentThatTheRationalModelAllows(long permits, long period, long previous) {
    Algorithm algorithm =
        Algorithm.of(Limit.slidingWindow(permits).per(Duration.ofMillis(period)), new Timeline(0));
    long then = algorithm.atMillis(0);
    long edge = then + period;
    Bucket bucket = new Bucket(algorithm.words());
    algorithm.take(bucket, then, then, previous);
    for (long cost = permits; cost > 0; cost = cost > 8 ? cost / 3 : cost - 1) {
      long wait = algorithm.waitFor(bucket, edge, cost);
      assertThat(counted(previous, period, wait) + cost).isLessThanOrEqualTo(permits);
      if (wait > 0) {
        assertThat(counted(previous, period, wait - 1) + cost).isGreaterThan(permits);
      }
      assertThat(algorithm.remaining(bucket, edge + wait))
          .isEqualTo(permits - counted(previous, period, wait));
    }
  }

  private static int words(Limit limit) {
    return Algorithm.of(limit, new Timeline(0)).words();
  }

  private static long counted(long previous, long period, long elapsed) {
    return BigInteger.valueOf(previous)
        .multiply(BigInteger.valueOf(Math.max(0, period - elapsed)))
        .divide(BigInteger.valueOf(period))
        .longValueExact();
  }
}
