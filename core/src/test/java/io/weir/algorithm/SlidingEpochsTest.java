package io.weir.algorithm;

import static io.weir.algorithm.BucketScript.play;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A ring of counters as tables. */
class SlidingEpochsTest {
  private static final Limit.SlidingEpochs SIX =
      Limit.slidingEpochs(6).per(Duration.ofSeconds(5)).epochs(5);

  @Test
  void sumsTheEpochsInSight() {
    play(
        SIX,
        """
        at   | do     | result | left | grows | reset | state
        -1   | look   | .      | 6    | 0     | 0     | fresh
        500  | take 2 | ok     | 4    | 4500  | 4500  | used
        1000 | take 1 | ok     | 3    | 4000  | 4000  | used
        4999 | take 3 | ok     | 0    | 1     | 1     | used
        4999 | take 1 | 1      | 0    | 1     | 1     | used
        4999 | take 3 | 1001   | 0    | 1     | 1     | used
        4999 | take 4 | 4001   | 0    | 1     | 1     | used
        4999 | take 7 | never  | 0    | 1     | 1     | used
        5000 | take 2 | ok     | 0    | 1000  | 1000  | used
        6000 | look   | .      | 1    | 3000  | 3000  | used
        8999 | look   | .      | 1    | 1     | 1     | used
        9000 | look   | .      | 4    | 1000  | 1000  | used
        9999 | look   | .      | 4    | 1     | 1     | used
        10000| look   | .      | 6    | 0     | 0     | fresh
        """);
  }

  @Test
  void whatFallsOutOfTheRingIsForgotten() {
    play(
        SIX,
        """
        at     | do     | result | left | grows | reset | state
        0      | take 1 | ok     | 5    | 5000  | 5000  | used
        1000   | take 1 | ok     | 4    | 4000  | 4000  | used
        2000   | take 1 | ok     | 3    | 3000  | 3000  | used
        3000   | take 1 | ok     | 2    | 2000  | 2000  | used
        4000   | take 1 | ok     | 1    | 1000  | 1000  | used
        6000   | take 1 | ok     | 2    | 1000  | 1000  | used
        8000   | take 1 | ok     | 3    | 1000  | 1000  | used
        100000 | take 1 | ok     | 5    | 5000  | 5000  | used
        """);
  }

  @ParameterizedTest(name = "{0} permits, {1} epochs: {2} words")
  @CsvSource({
    "         0,    1,    2",
    "       255,    1,    2",
    "       255,    8,    2",
    "       255,    9,    3",
    "       256,    4,    2",
    "       256,    5,    3",
    "     65535,    4,    2",
    "     65536,    4,    3",
    "2147483648,    2,    2",
    "2147483648, 1000,  501",
    "       500,   15,    5",
  })
  void countersAreAsWideAsTheyMustBe(long permits, int epochs, int words) {
    Algorithm algorithm =
        Algorithm.of(
            Limit.slidingEpochs(permits).per(Duration.ofSeconds(3000L * 60)).epochs(epochs),
            new Timeline(0));
    assertThat(algorithm.words()).isEqualTo(words);

    long start = algorithm.atMillis(0);
    long epoch = 180_000_000L / epochs;
    Bucket bucket = new Bucket(words);
    long each = permits / epochs;
    for (int i = 0; i < epochs && each > 0; i++) {
      long now = start + i * epoch;
      assertThat(algorithm.waitFor(bucket, now, each)).isZero();
      algorithm.take(bucket, now, now, each);
    }
    long last = start + (epochs - 1) * epoch;
    assertThat(algorithm.remaining(bucket, last)).isEqualTo(permits - each * epochs);
    for (int i = 1; i <= epochs && each > 0; i++) {
      assertThat(algorithm.remaining(bucket, last + i * epoch))
          .isEqualTo(permits - each * (epochs - i));
    }
  }

  @Test
  void aReservationIsInALaterEpochAndHoldsUpThoseBeforeIt() {
    play(
        SIX,
        """
        at    | do             | result | left | grows | reset | state
        500   | take 6         | ok     | 0    | 4500  | 4500  | used
        500   | reserve 6 as a | 4500   | 0    | 9500  | 9500  | used
        500   | reserve 1      | none   | 0    | 9500  | 9500  | used
        4999  | take 1         | 5001   | 0    | 5001  | 5001  | used
        4999  | cancel a       | .      | 0    | 1     | 0     | used
        5000  | take 1         | ok     | 5    | 5000  | 5000  | used
        """);
  }

  @Test
  void isNotFreshWhileTheHeadLiesAhead() {
    play(
        SIX,
        """
        at    | do             | result | left | grows | reset | state
        0     | take 6         | ok     | 0    | 5000  | 5000  | used
        4000  | reserve 1 as a | 1000   | 0    | 1000  | 6000  | used
        4000  | cancel a       | .      | 0    | 1000  | 0     | used
        5000  | look           | .      | 6    | 0     | 0     | fresh
        """);
  }

  @Test
  void givesBackToTheEpochThatWasCharged() {
    play(
        SIX,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 3 as a | ok     | 3    | 5000  | 5000  | used
        1000  | take 2 as b | ok     | 1    | 4000  | 4000  | used
        1000  | settle a 2  | .      | 2    | 4000  | 4000  | used
        1000  | cancel b    | .      | 4    | 4000  | 4000  | used
        4999  | cancel a    | .      | 6    | 0     | 0     | fresh
        5000  | take 3      | ok     | 3    | 5000  | 5000  | used
        5000  | cancel a    | .      | 3    | 5000  | 5000  | used
        6000  | take 1      | ok     | 2    | 4000  | 4000  | used
        6000  | cancel b    | .      | 2    | 4000  | 4000  | used
        """);
  }

  @Test
  void refundsTheNewestEpochsFirst() {
    play(
        SIX,
        """
        at    | do                         | result | left | grows | reset | state
        0     | take 3                     | ok     | 3    | 5000  | 5000  | used
        2000  | take 2                     | ok     | 1    | 3000  | 3000  | used
        3000  | take 1                     | ok     | 0    | 2000  | 2000  | used
        3000  | refund 2                   | .      | 2    | 2000  | 2000  | used
        5000  | look                       | .      | 5    | 2000  | 2000  | used
        5000  | refund 9223372036854775807 | .      | 6    | 0     | 0     | fresh
        5000  | take 6                     | ok     | 0    | 5000  | 5000  | used
        """);
  }

  @Test
  void countedRefusalsKeepTheCounterAtItsTop() {
    Limit.SlidingEpochs counting = SIX.countingRejected();
    assertThat(Algorithm.of(counting, new Timeline(0)).countsRejected()).isTrue();
    assertThat(Algorithm.of(SIX, new Timeline(0)).countsRejected()).isFalse();
    play(
        counting,
        """
        at    | do                        | result | left | grows | reset | state
        0     | take 5 as a               | ok     | 1    | 5000  | 5000  | used
        1000  | force 4                   | .      | 0    | 4000  | 4000  | used
        1000  | force 9223372036854775807 | .      | 0    | 5000  | 4000  | used
        1000  | cancel a                  | .      | 0    | 5000  | 5000  | used
        1000  | take 1                    | 5000   | 0    | 5000  | 5000  | used
        6000  | take 3 as b               | ok     | 3    | 5000  | 5000  | used
        6000  | cancel b                  | .      | 6    | 0     | 0     | fresh
        6000  | take 6 as c               | ok     | 0    | 5000  | 5000  | used
        6000  | cancel c                  | .      | 0    | 5000  | 5000  | used
        """);
    play(
        Limit.slidingEpochs(255).per(Duration.ofSeconds(5)).epochs(5).countingRejected(),
        """
        at    | do        | result | left | grows | reset | state
        0     | take 255  | ok     | 0    | 5000  | 5000  | used
        0     | force 200 | .      | 0    | 5000  | 5000  | used
        5000  | look      | .      | 255  | 0     | 0     | fresh
        """);
    play(
        SIX,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 6 as a | ok     | 0    | 5000  | 5000  | used
        0     | cancel a    | .      | 6    | 0     | 0     | fresh
        """);
  }

  @Test
  void aClockPutBackCreditsNothingAndFreezesNothing() {
    play(
        SIX,
        """
        at    | do     | result | left | grows | reset | state
        30000 | take 2 | ok     | 4    | 5000  | 5000  | used
        29999 | take 1 | 1      | 0    | 1     | 5001  | used
        29999 | take 5 | 5001   | 0    | 1     | 5001  | used
        25000 | take 1 | 5000   | 0    | 5000  | 10000 | used
        24999 | take 1 | 4001   | 0    | 4001  | 4001  | used
        29000 | take 1 | ok     | 5    | 5000  | 5000  | used
        """);
  }

  @ParameterizedTest(
      name = "6 per 5 s in 5 epochs becomes {0}: {1} left now, {2} in the last epoch")
  @CsvSource({"9, 4, 8", "3, 0, 2", "1, 0, 0", "70000, 69995, 69999"})
  void countsAreKeptAsCountsAlsoAboveTheCapacity(long permits, long left, long later) {
    Timeline timeline = new Timeline(0);
    Algorithm before = Algorithm.of(SIX, timeline);
    Algorithm after =
        Algorithm.of(
            Limit.slidingEpochs(permits).per(Duration.ofSeconds(5)).epochs(5), timeline, 6);
    long then = before.atMillis(0);
    long now = before.atMillis(4000);
    Bucket old = new Bucket(before.words());
    before.take(old, then, then, 4);
    before.take(old, now, now, 1);

    Bucket heir = new Bucket(after.words());
    after.inherit(heir, now, before, now, old);

    assertThat(after.remaining(heir, now)).isEqualTo(left);
    assertThat(after.remaining(heir, before.atMillis(5000))).isEqualTo(later);
    assertThat(after.remaining(heir, before.atMillis(9000))).isEqualTo(permits);
  }

  @Test
  void aReservationReachesOnePeriodAhead() {
    Algorithm algorithm = Algorithm.of(SIX, new Timeline(0));
    assertThat(algorithm.reach(algorithm.atMillis(0))).isEqualTo(5000);
    assertThat(algorithm.reach(algorithm.atMillis(999))).isEqualTo(5000);
  }
}
