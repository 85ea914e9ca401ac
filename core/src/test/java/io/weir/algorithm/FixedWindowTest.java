package io.weir.algorithm;

import static io.weir.algorithm.BucketScript.play;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;

/** The counter of one window as tables. */
class FixedWindowTest {
  private static final Limit.FixedWindow FIVE = Limit.fixedWindow(5).per(Duration.ofSeconds(10));

  /** So many permits in windows so short that count and window do not share a word. */
  private static final Limit.FixedWindow UNPACKED =
      Limit.fixedWindow(1L << 31).per(Duration.ofMillis(1));

  @Test
  void startsAtZeroInEachWindow() {
    play(
        FIVE,
        """
        at    | do     | result | left | grows | reset | state
        0     | look   | .      | 5    | 0     | 10000 | fresh
        1     | take 3 | ok     | 2    | 9999  | 9999  | used
        2     | take 3 | 9998   | 2    | 9998  | 9998  | used
        2     | take 2 | ok     | 0    | 9998  | 9998  | used
        9999  | take 1 | 1      | 0    | 1     | 1     | used
        10000 | look   | .      | 5    | 0     | 10000 | fresh
        10000 | take 5 | ok     | 0    | 10000 | 10000 | used
        10000 | take 6 | never  | 0    | 10000 | 10000 | used
        29999 | take 4 | ok     | 1    | 1     | 1     | used
        30000 | look   | .      | 5    | 0     | 10000 | fresh
        """);
  }

  @Test
  void twoWordsCountLikeOne() {
    assertThat(Algorithm.of(UNPACKED, new Timeline(0)).words()).isEqualTo(2);
    assertThat(Algorithm.of(FIVE, new Timeline(0)).words()).isEqualTo(1);
    // 32 bits of count beside 31 and 32 bits of window
    assertThat(words(Limit.fixedWindow(1L << 31).per(Duration.ofMillis(3000)))).isEqualTo(1);
    assertThat(words(Limit.fixedWindow(1L << 31).per(Duration.ofMillis(2000)))).isEqualTo(2);
    play(
        UNPACKED,
        """
        at | do              | result | left       | grows | reset | state
        0  | take 1          | ok     | 2147483647 | 1     | 1     | used
        0  | take 2147483648 | 1      | 2147483647 | 1     | 1     | used
        0  | take 2147483647 | ok     | 0          | 1     | 1     | used
        0  | take 1          | 1      | 0          | 1     | 1     | used
        0  | refund 3        | .      | 3          | 1     | 1     | used
        1  | take 2147483648 | ok     | 0          | 1     | 1     | used
        2  | look            | .      | 2147483648 | 0     | 1     | fresh
        """);
  }

  @Test
  void aReservationClosesTheWindowBeforeIt() {
    play(
        FIVE,
        """
        at    | do             | result | left | grows | reset | state
        4000  | take 4         | ok     | 1    | 6000  | 6000  | used
        4000  | reserve 2 as a | 6000   | 0    | 6000  | 6000  | used
        4000  | take 1         | 6000   | 0    | 6000  | 6000  | used
        4000  | reserve 3      | 6000   | 0    | 16000 | 6000  | used
        4000  | reserve 1      | none   | 0    | 16000 | 6000  | used
        4000  | cancel a       | .      | 0    | 6000  | 6000  | used
        10000 | take 3         | 10000  | 2    | 10000 | 10000 | used
        10000 | take 2         | ok     | 0    | 10000 | 10000 | used
        """);
  }

  @Test
  void isNotFreshWhileAReservationLiesAhead() {
    play(
        FIVE,
        """
        at    | do             | result | left | grows | reset | state
        9000  | take 5         | ok     | 0    | 1000  | 1000  | used
        9000  | reserve 1 as a | 1000   | 0    | 1000  | 1000  | used
        9000  | cancel a       | .      | 0    | 1000  | 1000  | used
        10000 | look           | .      | 5    | 0     | 10000 | fresh
        """);
  }

  @Test
  void givesBackOnlyToTheWindowThatIsCounted() {
    play(
        FIVE,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 2 as a | ok     | 3    | 10000 | 10000 | used
        5     | take 1 as b | ok     | 2    | 9995  | 9995  | used
        5     | settle a 1  | .      | 3    | 9995  | 9995  | used
        5     | cancel b    | .      | 4    | 9995  | 9995  | used
        10000 | take 4 as c | ok     | 1    | 10000 | 10000 | used
        10000 | cancel a    | .      | 1    | 10000 | 10000 | used
        20000 | cancel c    | .      | 5    | 0     | 10000 | fresh
        """);
  }

  @Test
  void refundAndForceStayWithinTheWindowsSize() {
    play(
        FIVE,
        """
        at    | do                         | result | left | grows | reset | state
        0     | refund 1                   | .      | 5    | 0     | 10000 | fresh
        0     | take 3                     | ok     | 2    | 10000 | 10000 | used
        0     | refund 9223372036854775807 | .      | 5    | 0     | 10000 | fresh
        0     | force 2                    | .      | 3    | 10000 | 10000 | used
        0     | force 9223372036854775807  | .      | 0    | 10000 | 10000 | used
        10000 | force 1                    | .      | 4    | 10000 | 10000 | used
        0     | force 1                    | .      | 0    | 10000 | 10000 | used
        10000 | look                       | .      | 3    | 10000 | 10000 | used
        """);
  }

  @Test
  void aClockPutBackCreditsNothingAndFreezesNothing() {
    play(
        FIVE,
        """
        at    | do     | result | left | grows | reset | state
        30000 | take 2 | ok     | 3    | 10000 | 10000 | used
        29999 | take 1 | 1      | 0    | 1     | 1     | used
        20000 | take 1 | 10000  | 0    | 10000 | 10000 | used
        20000 | take 4 | 20000  | 0    | 10000 | 10000 | used
        19999 | take 1 | 1      | 0    | 1     | 1     | used
        20000 | take 5 | ok     | 0    | 10000 | 10000 | used
        """);
  }

  @Test
  void aCountIsKeptAsACountAlsoAboveTheCapacity() {
    Timeline timeline = new Timeline(0);
    Algorithm five = Algorithm.of(FIVE, timeline);
    Limit lowered = Limit.fixedWindow(2).per(Duration.ofSeconds(10));
    Algorithm two = Algorithm.of(lowered, timeline, five.roomUnder(lowered));
    Algorithm seven = Algorithm.of(Limit.fixedWindow(7).per(Duration.ofSeconds(10)), timeline);
    long now = five.atMillis(0);
    Bucket old = new Bucket(1);
    five.take(old, now, now, 3);

    Bucket more = new Bucket(1);
    seven.inherit(more, now, five, now, old);
    Bucket fewer = new Bucket(1);
    two.inherit(fewer, now, five, now, old);

    assertThat(seven.remaining(more, now)).isEqualTo(4);
    assertThat(two.remaining(fewer, now)).isZero();
    assertThat(two.waitFor(fewer, now, 1)).isEqualTo(10_000);
    assertThat(two.needsRoom(fewer, now)).isTrue();
    assertThat(two.needsRoom(fewer, now + 10_000)).as("its window is over").isFalse();
    two.force(fewer, now, 1);
    Bucket again = new Bucket(1);
    five.inherit(again, now, two, now, fewer);
    assertThat(five.remaining(again, now)).as("neither more nor less").isEqualTo(2);
  }

  @Test
  void mendAfterAClockStepKeepsTheLargestCount() {
    Algorithm two =
        Algorithm.of(Limit.fixedWindow(2).per(Duration.ofSeconds(10)), new Timeline(0), 40);
    Bucket bucket = new Bucket(1);
    two.load(bucket, two.atMillis(100_000), 40);
    two.mend(bucket, two.atMillis(0));
    two.refund(bucket, two.atMillis(0), 39);
    assertThat(two.remaining(bucket, two.atMillis(0))).isEqualTo(1);
  }

  @Test
  void aCalendarDayHasTheHoursThatItHas() {
    ZoneId paris = ZoneId.of("Europe/Paris");
    ZonedDateTime noon = ZonedDateTime.of(2026, 3, 29, 12, 0, 0, 0, paris);
    long start = noon.toInstant().toEpochMilli();
    Algorithm algorithm =
        Algorithm.of(Limit.fixedWindow(2).perDay().zone(paris), new Timeline(start));
    Bucket bucket = new Bucket(algorithm.words());
    long dawn = algorithm.atMillis(start - hours(11)); // midnight: two o'clock did not exist
    algorithm.take(bucket, dawn, dawn, 2);

    assertThat(algorithm.resetIn(bucket, dawn)).isEqualTo(hours(23));
    assertThat(algorithm.waitFor(bucket, dawn, 1)).isEqualTo(hours(23));
    assertThat(algorithm.remaining(bucket, dawn + hours(23) - 1)).isZero();
    assertThat(algorithm.remaining(bucket, dawn + hours(23))).isEqualTo(2);
    assertThat(algorithm.reach(dawn)).isEqualTo(hours(47) - 1);
  }

  @Test
  void zeroPermitsRefuseForEver() {
    play(
        Limit.fixedWindow(0).perMinute(),
        """
        at  | do     | result | left | grows | reset | state
        0   | take 1 | never  | 0    | 0     | 60000 | fresh
        """);
  }

  private static int words(Limit limit) {
    return Algorithm.of(limit, new Timeline(0)).words();
  }

  private static long hours(long hours) {
    return hours * 3_600_000;
  }
}
