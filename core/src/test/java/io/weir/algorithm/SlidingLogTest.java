package io.weir.algorithm;

import static io.weir.algorithm.BucketScript.play;
import static io.weir.algorithm.BucketScript.playOnClock;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log of entries as tables. */
class SlidingLogTest {
  private static final Limit.SlidingLog FOUR = Limit.slidingLog(4).per(Duration.ofSeconds(10));

  @Test
  void countsEveryPermitOfTheLastPeriod() {
    play(
        FOUR,
        """
        at    | do     | result | left | grows | reset | state
        -1    | look   | .      | 4    | 0     | 0     | fresh
        0     | take 1 | ok     | 3    | 10000 | 10000 | used
        5     | take 2 | ok     | 1    | 9995  | 9995  | used
        7     | take 1 | ok     | 0    | 9993  | 9993  | used
        7     | take 1 | 9993   | 0    | 9993  | 9993  | used
        7     | take 3 | 9998   | 0    | 9993  | 9993  | used
        7     | take 4 | 10000  | 0    | 9993  | 9993  | used
        7     | take 5 | never  | 0    | 9993  | 9993  | used
        9999  | take 1 | 1      | 0    | 1     | 1     | used
        10000 | take 1 | ok     | 0    | 5     | 5     | used
        10005 | look   | .      | 2    | 2     | 2     | used
        10006 | take 2 | ok     | 0    | 1     | 1     | used
        20005 | look   | .      | 2    | 1     | 1     | used
        20006 | look   | .      | 4    | 0     | 0     | fresh
        """);
  }

  @Test
  void permitsOfOneTickShareAnEntry() {
    Algorithm algorithm = Algorithm.of(Limit.slidingLog(1_000_000).perMinute(), new Timeline(0));
    long now = algorithm.atMillis(0);
    Bucket bucket = new Bucket(algorithm.words());
    for (int i = 0; i < 30_000; i++) {
      algorithm.take(bucket, now, now, 1);
    }
    assertThat(SlidingLog.regionLength(bucket)).isEqualTo(2);
    algorithm.take(bucket, now, now, 10_000); // 15 bits of permits are full
    assertThat(SlidingLog.regionLength(bucket)).isEqualTo(3);
    assertThat(algorithm.remaining(bucket, now)).isEqualTo(960_000);
    assertThat(algorithm.remaining(bucket, algorithm.atMillis(59_999))).isEqualTo(960_000);
    assertThat(algorithm.remaining(bucket, algorithm.atMillis(60_000))).isEqualTo(1_000_000);
  }

  @Test
  void aLargeCostIsSpreadOverEntries() {
    play(
        Limit.slidingLog(1_000_000).perMinute(),
        """
        at    | do               | result | left    | grows | reset | state
        0     | take 999999      | ok     | 1       | 60000 | 60000 | used
        1     | take 2           | 59999  | 1       | 59999 | 59999 | used
        1     | take 1           | ok     | 0       | 59999 | 59999 | used
        60000 | take 999999      | ok     | 0       | 1     | 1     | used
        60000 | refund 500000    | .      | 500000  | 1     | 1     | used
        60001 | look             | .      | 500001  | 59999 | 59999 | used
        """);
    play(
        Limit.slidingLog(1_000_000).perMinute(),
        """
        at | do                | result | left   | grows | reset | state
        0  | take 999999 as a  | ok     | 1      | 60000 | 60000 | used
        0  | settle a 899999   | .      | 100001 | 60000 | 60000 | used
        0  | cancel a          | .      | 1000000| 0     | 0     | fresh
        """);
  }

  @Test
  void aFineClockForgetsNothingEarly() {
    playOnClock(
        Limit.slidingLog(2).per(Duration.ofMillis(10)),
        """
        at        | do     | result | left | grows | reset | state
        0.000001  | take 1 | ok     | 1    | 11    | 11    | used
        0.999999  | take 1 | ok     | 0    | 11    | 11    | used
        10.999999 | take 1 | 1      | 0    | 1     | 1     | used
        11        | take 2 | ok     | 0    | 10    | 10    | used
        20.999999 | take 1 | 1      | 0    | 1     | 1     | used
        21        | take 1 | ok     | 1    | 10    | 10    | used
        """);
  }

  @Test
  void reservationsAreEntriesInTheFuture() {
    play(
        FOUR,
        """
        at    | do             | result | left | grows | reset | state
        0     | take 3         | ok     | 1    | 10000 | 10000 | used
        1000  | reserve 2 as a | 9000   | 0    | 9000  | 9000  | used
        1000  | take 1         | 9000   | 0    | 9000  | 9000  | used
        1000  | reserve 2 as b | 9000   | 0    | 19000 | 9000  | used
        1000  | reserve 1      | none   | 0    | 19000 | 9000  | used
        1000  | cancel a       | .      | 0    | 9000  | 9000  | used
        10000 | take 2         | ok     | 0    | 10000 | 10000 | used
        19999 | take 1         | 1      | 0    | 1     | 1     | used
        20000 | take 4         | ok     | 0    | 10000 | 10000 | used
        """);
  }

  @Test
  void givesBackToTheMomentOfTheCharge() {
    play(
        FOUR,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 1 as a | ok     | 3    | 10000 | 10000 | used
        1000  | take 2 as b | ok     | 1    | 9000  | 9000  | used
        2000  | take 1 as c | ok     | 0    | 8000  | 8000  | used
        2000  | settle b 1  | .      | 1    | 8000  | 8000  | used
        2000  | cancel b    | .      | 2    | 8000  | 8000  | used
        2000  | cancel a    | .      | 3    | 10000 | 10000 | used
        2000  | cancel a    | .      | 3    | 10000 | 10000 | used
        2000  | cancel c    | .      | 4    | 0     | 0     | fresh
        2000  | take 4 as d | ok     | 0    | 10000 | 10000 | used
        12000 | cancel d    | .      | 4    | 0     | 0     | fresh
        12000 | take 1      | ok     | 3    | 10000 | 10000 | used
        """);
  }

  @Test
  void anEntryEmptiedInTheMiddleIsPassedOver() {
    play(
        FOUR,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 1      | ok     | 3    | 10000 | 10000 | used
        1000  | take 1 as b | ok     | 2    | 9000  | 9000  | used
        2000  | take 2      | ok     | 0    | 8000  | 8000  | used
        2000  | cancel b    | .      | 1    | 8000  | 8000  | used
        10000 | look        | .      | 2    | 2000  | 2000  | used
        10000 | take 3      | 2000   | 2    | 2000  | 2000  | used
        10500 | refund 2    | .      | 4    | 0     | 0     | fresh
        """);
  }

  @Test
  void refundsTheNewestEntriesFirst() {
    play(
        FOUR,
        """
        at    | do                         | result | left | grows | reset | state
        0     | take 2                     | ok     | 2    | 10000 | 10000 | used
        1000  | take 2                     | ok     | 0    | 9000  | 9000  | used
        1000  | refund 3                   | .      | 3    | 9000  | 9000  | used
        9999  | look                       | .      | 3    | 1     | 1     | used
        10000 | look                       | .      | 4    | 0     | 0     | fresh
        10000 | take 4                     | ok     | 0    | 10000 | 10000 | used
        10000 | refund 9223372036854775807 | .      | 4    | 0     | 0     | fresh
        10000 | take 4                     | ok     | 0    | 10000 | 10000 | used
        """);
  }

  @Test
  void aForcedChargeIsRememberedUpToTwiceTheLimit() {
    play(
        FOUR,
        """
        at    | do                        | result | left | grows | reset | state
        0     | take 4                    | ok     | 0    | 10000 | 10000 | used
        1000  | force 3                   | .      | 0    | 9000  | 9000  | used
        2000  | force 9223372036854775807 | .      | 0    | 9000  | 8000  | used
        3000  | force 1                   | .      | 0    | 8000  | 7000  | used
        10000 | take 1                    | 1000   | 0    | 1000  | 1000  | used
        11000 | look                      | .      | 3    | 1000  | 1000  | used
        12000 | look                      | .      | 4    | 0     | 0     | .
        """);
  }

  @Test
  void whatIsOldMakesRoomForAForcedCharge() {
    play(
        FOUR,
        """
        at    | do      | result | left | grows | reset | state
        0     | take 4  | ok     | 0    | 10000 | 10000 | used
        1000  | force 4 | .      | 0    | 10000 | 9000  | used
        10500 | force 4 | .      | 0    | 10000 | 500   | used
        11000 | look    | .      | 0    | 9500  | 9500  | used
        """);
  }

  @Test
  void aForcedChargeThatAddsNothingChangesNothing() {
    play(
        FOUR,
        """
        at    | do       | result | left | grows | reset | state
        0     | take 4   | ok     | 0    | 10000 | 10000 | used
        1000  | force 4  | .      | 0    | 10000 | 9000  | used
        2000  | force 1  | .      | 0    | 9000  | 8000  | used
        2000  | refund 1 | .      | 0    | 8000  | 8000  | used
        2000  | force 1  | .      | 0    | 9000  | 8000  | used
        11000 | look     | .      | 3    | 1000  | 1000  | used
        12000 | look     | .      | 4    | 0     | 0     | fresh
        """);
  }

  @Test
  void countedRefusalsAreKeptAsFarAsTheyMatter() {
    Limit.SlidingLog counting = FOUR.countingRejected();
    assertThat(Algorithm.of(counting, new Timeline(0)).countsRejected()).isTrue();
    assertThat(Algorithm.of(FOUR, new Timeline(0)).countsRejected()).isFalse();
    play(
        counting,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 3 as a | ok     | 1    | 10000 | 10000 | used
        1000  | force 2     | .      | 0    | 9000  | 9000  | used
        2000  | force 3     | .      | 0    | 9000  | 9000  | used
        2000  | take 2      | 10000  | 0    | 9000  | 9000  | used
        2000  | cancel a    | .      | 0    | 9000  | 9000  | used
        3000  | force 99    | .      | 0    | 10000 | 10000 | used
        12999 | take 1      | 1      | 0    | 1     | 1     | used
        13000 | take 3 as b | ok     | 1    | 10000 | 10000 | used
        13000 | cancel b    | .      | 4    | 0     | 0     | fresh
        13000 | take 4 as c | ok     | 0    | 10000 | 10000 | used
        13000 | cancel c    | .      | 0    | 10000 | 10000 | used
        23000 | take 2      | ok     | 2    | 10000 | 10000 | used
        32000 | take 2 as d | ok     | 0    | 1000  | 1000  | used
        33500 | cancel d    | .      | 4    | 0     | 0     | fresh
        33500 | take 3      | ok     | 1    | 10000 | 10000 | used
        34000 | force 2     | .      | 0    | 9500  | 9500  | used
        34000 | refund 4    | .      | 4    | 0     | 0     | fresh
        """);
  }

  @Test
  void aClockPutBackCreditsNothingAndFreezesNothing() {
    play(
        FOUR,
        """
        at    | do     | result | left | grows | reset | state
        30000 | take 2 | ok     | 2    | 10000 | 10000 | used
        29000 | take 1 | ok     | 1    | 11000 | 11000 | used
        19999 | take 2 | 20001  | 1    | 20001 | 20001 | used
        19998 | take 1 | 10000  | 0    | 10000 | 10000 | used
        29997 | take 1 | 1      | 0    | 1     | 1     | used
        29998 | take 4 | ok     | 0    | 10000 | 10000 | used
        """);
    play(
        FOUR,
        """
        at     | do          | result | left | grows | reset | state
        100000 | take 4 as a | ok     | 0    | 10000 | 10000 | used
        100000 | cancel a    | .      | 4    | 0     | 0     | fresh
        0      | look        | .      | 4    | 0     | 0     | fresh
        """);
  }

  @ParameterizedTest(name = "4 per 10 s becomes {0}: at 10 s {1} left, at 11 s {2}")
  @CsvSource({"6, 3, 5", "3, 0, 2", "2, 0, 1", "1, 0, 0"})
  void entriesAreKeptAlsoAboveTheCapacity(long permits, long left, long later) {
    Timeline timeline = new Timeline(0);
    Algorithm before = Algorithm.of(FOUR, timeline);
    Algorithm after =
        Algorithm.of(Limit.slidingLog(permits).per(Duration.ofSeconds(10)), timeline, 4);
    Bucket old = new Bucket(3);
    take(before, old, 0, 1);
    take(before, old, 1000, 2);
    take(before, old, 2000, 1);

    Bucket heir = new Bucket(after.words());
    after.inherit(heir, after.atMillis(2000), before, before.atMillis(2000), old);

    assertThat(after.remaining(heir, after.atMillis(9999))).isEqualTo(Math.max(0, permits - 4));
    assertThat(after.remaining(heir, after.atMillis(10_000))).isEqualTo(left);
    assertThat(after.remaining(heir, after.atMillis(11_000))).isEqualTo(later);
    assertThat(after.remaining(heir, after.atMillis(12_000))).isEqualTo(permits);
  }

  @Test
  void zeroPermitsKeepWhatWasSpent() {
    Timeline timeline = new Timeline(0);
    Algorithm before = Algorithm.of(FOUR, timeline);
    Algorithm none = Algorithm.of(Limit.slidingLog(0).per(Duration.ofSeconds(10)), timeline, 4);
    Bucket old = new Bucket(3);
    take(before, old, 0, 3);

    Bucket heir = new Bucket(none.words());
    none.inherit(heir, none.atMillis(0), before, before.atMillis(0), old);

    assertThat(none.remaining(heir, none.atMillis(0))).isZero();
    assertThat(none.isFresh(heir, none.atMillis(0))).isFalse();
    Bucket again = new Bucket(3);
    before.inherit(again, before.atMillis(0), none, none.atMillis(0), heir);
    assertThat(before.remaining(again, before.atMillis(0))).isEqualTo(1);
  }

  @Test
  void aCopyDecidesLikeItsOriginalAndIsAsSmallAsItCanBe() {
    SlidingLog log = new SlidingLog(FOUR, new Timeline(0), 4);
    Bucket original = new Bucket(3);
    take(log, original, 0, 1);
    take(log, original, 1, 1);
    take(log, original, 10_000, 1);
    take(log, original, 10_001, 2);

    Bucket copy = new Bucket(3);
    copy.word(1, 99);
    copy.word(2, 99);
    log.copy(original, copy);

    for (long at : new long[] {10_001, 19_999, 20_000, 20_001}) {
      long now = log.atMillis(at);
      assertThat(log.remaining(copy, now)).isEqualTo(log.remaining(original, now));
      assertThat(log.resetIn(copy, now)).isEqualTo(log.resetIn(original, now));
    }
    assertThat(SlidingLog.regionLength(copy)).isEqualTo(3);
    Bucket ofNothing = new Bucket(3);
    log.copy(new Bucket(3), ofNothing);
    assertThat(SlidingLog.regionLength(ofNothing)).isZero();
  }

  @Test
  void aRegionCanBeMoved() {
    SlidingLog log = new SlidingLog(FOUR, new Timeline(0), 4);
    Bucket bucket = new Bucket(3);
    take(log, bucket, 0, 4);
    int length = SlidingLog.regionLength(bucket);
    int moved = bucket.heap().allocate(length);
    int[] ints = bucket.heap().ints();
    System.arraycopy(ints, SlidingLog.region(bucket), ints, moved, length);
    java.util.Arrays.fill(ints, SlidingLog.region(bucket), moved, -1);
    SlidingLog.moveRegion(bucket, moved);

    assertThat(SlidingLog.region(bucket)).isEqualTo(moved);
    assertThat(SlidingLog.regionLength(bucket)).isEqualTo(length);
    assertThat(log.waitFor(bucket, log.atMillis(1), 1)).isEqualTo(9999);
  }

  /** Entries of one and two ints, rings that wrap and grow: like a deque of single permits. */
  @ParameterizedTest(name = "{0} per {1} ms")
  @CsvSource({
    "3, 1",
    "10, 20",
    "100, 60000",
    "50, 536870911",
    "50, 536870912",
    "40, 33554432",
    "70, 1577880000000",
  })
  void isADequeOfPermits(int permits, long period) {
    Algorithm algorithm =
        Algorithm.of(Limit.slidingLog(permits).per(Duration.ofMillis(period)), new Timeline(0));
    Bucket bucket = new Bucket(3);
    ArrayDeque<Long> deque = new ArrayDeque<>();
    Random random = new Random(period + permits);
    long at = 0;
    for (int i = 0; i < 3000 && at < 300 * 86_400_000L * 60; i++) {
      at += random.nextInt(4) == 0 ? 0 : random.nextLong(1 + 3 * period / permits);
      long now = algorithm.atMillis(at);
      while (!deque.isEmpty() && deque.peekFirst() <= at - period) {
        deque.removeFirst();
      }
      if (random.nextInt(20) == 0) {
        Bucket copy = new Bucket(3);
        ((SlidingLog) algorithm).copy(bucket, copy);
        bucket = copy;
      }
      int cost = 1 + random.nextInt(Math.max(1, permits / 5));
      assertThat(algorithm.remaining(bucket, now)).isEqualTo(permits - deque.size());
      boolean fits = deque.size() + cost <= permits;
      assertThat(algorithm.waitFor(bucket, now, cost) == 0).isEqualTo(fits);
      if (fits) {
        algorithm.take(bucket, now, now, cost);
        for (int c = 0; c < cost; c++) {
          deque.addLast(at);
        }
      } else if (random.nextInt(5) == 0) {
        algorithm.refund(bucket, now, cost);
        for (int c = 0; c < cost && !deque.isEmpty(); c++) {
          deque.removeLast();
        }
      }
    }
    assertThat(SlidingLog.regionLength(bucket)).isLessThanOrEqualTo(1 + 2 * permits);
  }

  @ParameterizedTest(name = "{0} per {1} ms: an entry has {2} ints")
  @CsvSource({
    "3,       1073741823, 1",
    "3,       1073741824, 2",
    "255,     1073741823, 1",
    "256,     1073741823, 2",
    "2047,     134217727, 1",
    "2048,     134217727, 2",
    "2047,     134217728, 2",
    "1000000,     262143, 1",
    "1000000,     262144, 2",
    "1,    1577880000000, 2",
  })
  void anEntryIsAsSmallAsTickAndPermitsAllow(long permits, long period, int ints) {
    Algorithm algorithm =
        Algorithm.of(Limit.slidingLog(permits).per(Duration.ofMillis(period)), new Timeline(0));
    Bucket bucket = new Bucket(3);
    take(algorithm, bucket, 0, 1);
    assertThat(SlidingLog.regionLength(bucket)).isEqualTo(1 + ints);
  }

  @Test
  void aRegionGrowsByAnEighthAndNeverBeyondTheLimit() {
    Algorithm algorithm = Algorithm.of(Limit.slidingLog(100).perMinute(), new Timeline(0));
    Bucket bucket = new Bucket(3);
    int room = 0;
    int region = -1;
    for (int entries = 1; entries <= 100; entries++) {
      take(algorithm, bucket, entries, 1);
      boolean moves = entries > room;
      assertThat(SlidingLog.region(bucket) != region).as("%d", entries).isEqualTo(moves);
      if (moves) {
        room = Math.min(100, entries + entries / 8);
        region = SlidingLog.region(bucket);
      }
      assertThat(SlidingLog.regionLength(bucket)).isEqualTo(1 + room);
    }
  }

  private static void take(Algorithm algorithm, Bucket bucket, long at, long cost) {
    long now = algorithm.atMillis(at);
    algorithm.take(bucket, now, now, cost);
  }
}
