package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which limits can be built, and what is said about the others. */
class LimitTest {
  @Test
  void everyLimitHasItsPeriod() {
    Duration period = Duration.ofSeconds(90);
    assertThat(
            Stream.of(
                Limit.tokenBucket(3).per(period).burst(9),
                Limit.leakyBucket(3).per(period),
                Limit.fixedWindow(3).per(period),
                Limit.slidingLog(3).per(period),
                Limit.slidingWindow(3).per(period),
                Limit.slidingEpochs(3).per(period)))
        .extracting(Limit::period)
        .containsOnly(period);
  }

  @ParameterizedTest
  @CsvSource({"DAY, 1", "WEEK, 7", "MONTH, 30", "YEAR, 365"})
  void periodOfACalendarWindowIsItsUsualLength(Limit.Calendar unit, int days) {
    Limit limit = Limit.fixedWindow(3).per(unit).zone(ZoneId.of("Europe/Paris"));
    assertThat(limit.period()).isEqualTo(Duration.ofDays(days));
  }

  private static final long MAX = 1L << 31;
  private static final long YEARS_50 = 50L * 8766 * 3_600_000;

  private static final List<Function<Long, Limit.Per<? extends Limit>>> ALL =
      List.of(
          Limit::tokenBucket,
          Limit::leakyBucket,
          Limit::fixedWindow,
          Limit::slidingLog,
          Limit::slidingWindow,
          Limit::slidingEpochs);

  @ParameterizedTest(name = "{0} permits")
  @ValueSource(longs = {Long.MIN_VALUE, -1, MAX + 1, Long.MAX_VALUE})
  void permitsOutOfRangeAreRefused(long permits) {
    for (Function<Long, Limit.Per<? extends Limit>> limit : ALL) {
      assertThatThrownBy(() -> limit.apply(permits).perMinute())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("permits must be from 0 to 2147483648, but are " + permits);
    }
  }

  static Stream<Arguments> badPeriods() {
    return Stream.of(
        Arguments.of(Duration.ZERO, "from 1 ms to 50 years, but is 0ms"),
        Arguments.of(Duration.ofMillis(-1), "from 1 ms to 50 years, but is -1ms"),
        Arguments.of(Duration.ofSeconds(Long.MIN_VALUE), "from 1 ms to 50 years, but is PT-25"),
        Arguments.of(Duration.ofNanos(999_999), "from 1 ms to 50 years, but is PT0.000999999S"),
        Arguments.of(Duration.ofNanos(1_000_001), "in whole milliseconds, but is PT0.001000001S"),
        Arguments.of(Duration.ofMillis(YEARS_50 + 1), "50 years, but is " + (YEARS_50 + 1) + "ms"),
        Arguments.of(Duration.ofMillis(Long.MAX_VALUE), "but is 9223372036854775807ms"),
        Arguments.of(Duration.ofSeconds(Long.MAX_VALUE), "50 years, but is PT25"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badPeriods")
  void periodsOutOfRangeAreRefused(Duration period, String message) {
    for (Function<Long, Limit.Per<? extends Limit>> limit : ALL) {
      assertThatThrownBy(() -> limit.apply(1L).per(period))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("period must be ")
          .hasMessageContaining(message);
    }
  }

  @Test
  void theEdgesOfTheRangeAreInIt() {
    for (Function<Long, Limit.Per<? extends Limit>> limit : ALL) {
      for (long permits : new long[] {0, 1, MAX}) {
        assertThatNoException().isThrownBy(() -> limit.apply(permits).per(Limit.MAX_PERIOD));
      }
      assertThatNoException().isThrownBy(() -> limit.apply(1L).per(Duration.ofMillis(10)));
    }
    assertThat(Limit.fixedWindow(MAX).per(Duration.ofMillis(1)).capacity()).isEqualTo(MAX);
    assertThat(Limit.slidingLog(MAX).per(Duration.ofMillis(1)).capacity()).isEqualTo(MAX);
    assertThat(Limit.slidingWindow(MAX).per(Duration.ofMillis(1)).capacity()).isEqualTo(MAX);
    assertThat(new Limit.SlidingEpochs(MAX, Duration.ofMillis(1), 1, false).capacity())
        .isEqualTo(MAX);
    assertThat(Limit.tokenBucket(MAX).per(Duration.ofMillis(1)).capacity()).isEqualTo(MAX);
    assertThat(Limit.leakyBucket(MAX).per(Duration.ofMillis(1)).capacity()).isEqualTo(MAX);
    assertThat(Limit.leakyBucket(4).per(Limit.MAX_PERIOD).queue()).isEqualTo(3);
    assertThat(Limit.MAX_PERMITS).isEqualTo(MAX);
    assertThat(Limit.MAX_PERIOD).isEqualTo(Duration.ofMillis(YEARS_50));
  }

  @ParameterizedTest(name = "{0} per {1} ms, burst {2}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "10  | 1000          | 0           | burst must be from 1 to 2147483648, but is 0",
        "10  | 1000          | -1          | burst must be from 1 to 2147483648, but is -1",
        "10  | 1000          | 2147483649  | burst must be from 1 to 2147483648, but is 2147483649",
        "1   | 1577880000000 | 2           | burst 2 at 1 per 438300h takes more than 50 years to"
            + " fill",
        "1   | 1000          | 1577880001  | burst 1577880001 at 1 per 1s takes more than 50 years"
            + " to fill",
        "2147483648 | 1 | 4294967 | burst must be at least 4294968 at 2147483648 per 1ms"
            + " (what flows in within two microseconds), but is 4294967",
        "1001 | 1 | 2 | burst must be at least 3 at 1001 per 1ms"
            + " (what flows in within two microseconds), but is 2",
        "0   | 1000          | 5           | burst 5 makes no sense with 0 permits: the bucket is"
            + " never filled",
      })
  void burstsOutOfRangeAreRefused(long permits, long period, long burst, String message) {
    Limit.TokenBucket limit = Limit.tokenBucket(permits).per(Duration.ofMillis(period));
    assertThatThrownBy(() -> limit.burst(burst))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void zeroPermitsHaveNoBurst() {
    assertThatThrownBy(() -> new Limit.TokenBucket(0, Duration.ofSeconds(1), 5))
        .hasMessage("burst 5 makes no sense with 0 permits: the bucket is never filled");
    assertThat(Limit.tokenBucket(0).perSecond().capacity()).isZero();
  }

  @ParameterizedTest(name = "{0} per {1} ms, queue {2}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "10   | 1000          | -1         | queue must be from 0 to 2147483647, but is -1",
        "10   | 1000          | 2147483648 | queue must be from 0 to 2147483647, but is 2147483648",
        "1    | 1577880000000 | 1          | queue 1 at 1 per 438300h takes more than 50 years to"
            + " fill",
        "1001 | 1             | 1          | queue must be at least 2 at 1001 per 1ms"
            + " (what flows in within two microseconds), but is 1",
      })
  void queuesOutOfRangeAreRefused(long permits, long period, long queue, String message) {
    assertThatThrownBy(() -> new Limit.LeakyBucket(permits, Duration.ofMillis(period), queue))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest(name = "{0} per {1} ms, burst {2}")
  @CsvSource({
    "1,          1577880000000, 1",
    "1,          1000,          1577880000",
    "2147483648, 1,             4294968",
    "1001,       1,             3",
    "1000,       1,             1",
    "10,         1000,          2147483648",
  })
  void burstsAtTheEdgeAreInRange(long permits, long period, long burst) {
    assertThat(Limit.tokenBucket(permits).per(Duration.ofMillis(period)).burst(burst).capacity())
        .isEqualTo(burst);
  }

  @ParameterizedTest(name = "{0} per {1} ms, burst {2}: a tick of {3} µs")
  @CsvSource({
    "1000, 1000, 1,    1000", // one a millisecond
    "1001, 1000, 2,    1", // more than one, and it holds less than two milliseconds' worth
    "1001, 1000, 3,    1000",
    "5000, 1000, 9,    1",
    "5000, 1000, 10,   1000",
    "10,   1000, 1,    1000",
    "1,    1,    1,    1000",
    "2,    1,    4,    1000",
    "2,    1,    3,    1",
  })
  void theTickIsAMicrosecondWhereAMillisecondWouldOverflow(
      long permits, long period, long burst, long micros) {
    Duration span = Duration.ofMillis(period);
    Duration tick = Duration.ofNanos(micros * 1000);
    assertThat(new Limit.TokenBucket(permits, span, burst).tick()).isEqualTo(tick);
    assertThat(new Limit.LeakyBucket(permits, span, burst - 1).tick()).isEqualTo(tick);
    assertThat(Limit.slidingLog(permits).per(span).tick()).isEqualTo(Duration.ofMillis(1));
  }

  @ParameterizedTest(name = "{0} epochs of 1 s: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "0    | epochs must be from 1 to 1000, but are 0",
        "-1   | epochs must be from 1 to 1000, but are -1",
        "1001 | epochs must be from 1 to 1000, but are 1001",
        "3    | epochs must divide the period into whole milliseconds, but 1s / 3 does not",
      })
  void epochsOutOfRangeAreRefused(int epochs, String message) {
    Limit.SlidingEpochs limit = Limit.slidingEpochs(5).perSecond();
    assertThatThrownBy(() -> limit.epochs(epochs))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThat(limit.epochs(1000).epochs()).isEqualTo(1000);
  }

  @Test
  void nothingIsRefusedByName() {
    assertThatThrownBy(() -> Limit.fixedWindow(1).per((Limit.Span) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("span");
    assertThatThrownBy(() -> Limit.fixedWindow(1).perDay().zone(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("zone");
    assertThatThrownBy(() -> Limit.slidingLog(1).per(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("period");
  }

  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of(
            Limit.tokenBucket(10).perSecond().burst(100), "token-bucket 10 per 1s, burst 100"),
        Arguments.of(Limit.tokenBucket(10).perMinute(), "token-bucket 10 per 1m, burst 10"),
        Arguments.of(
            Limit.leakyBucket(3).per(Duration.ofMillis(250)).queue(0),
            "leaky-bucket 3 per 250ms, queue 0"),
        Arguments.of(Limit.leakyBucket(7).perHour(), "leaky-bucket 7 per 1h, queue 7"),
        Arguments.of(
            Limit.leakyBucket(MAX).perHour(), "leaky-bucket 2147483648 per 1h, queue 2147483647"),
        Arguments.of(Limit.fixedWindow(5).perMinute(), "fixed-window 5 per 1m"),
        Arguments.of(Limit.fixedWindow(5).per(Duration.ofDays(1)), "fixed-window 5 per 1d"),
        Arguments.of(Limit.fixedWindow(5).perDay(), "fixed-window 5 per calendar day in Z"),
        Arguments.of(
            Limit.fixedWindow(5).perWeek().zone(ZoneId.of("Europe/Paris")),
            "fixed-window 5 per calendar week in Europe/Paris"),
        Arguments.of(Limit.fixedWindow(5).perMonth(), "fixed-window 5 per calendar month in Z"),
        Arguments.of(Limit.fixedWindow(5).perYear(), "fixed-window 5 per calendar year in Z"),
        Arguments.of(Limit.slidingLog(5).perDay(), "sliding-log 5 per 1d"),
        Arguments.of(
            Limit.slidingLog(5).per(Duration.ofSeconds(90)).countingRejected(),
            "sliding-log 5 per 90s, counting rejected"),
        Arguments.of(Limit.slidingWindow(5).perSecond(), "sliding-window 5 per 1s"),
        Arguments.of(Limit.slidingEpochs(5).perSecond(), "sliding-epochs 5 per 1s in 10 epochs"),
        Arguments.of(
            Limit.slidingEpochs(5).perSecond().countingRejected().epochs(20),
            "sliding-epochs 5 per 1s in 20 epochs, counting rejected"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("texts")
  void aLimitReadsAsItIsWritten(Limit limit, String text) {
    assertThat(limit).hasToString(text);
    assertThat(text).startsWith(limit.algorithm());
  }

  @Test
  void limitsAreValues() {
    assertThat(Limit.tokenBucket(10).perSecond().burst(10))
        .isEqualTo(Limit.tokenBucket(10).per(Duration.ofMillis(1000)))
        .hasSameHashCodeAs(Limit.tokenBucket(10).perSecond())
        .isNotEqualTo(Limit.tokenBucket(10).perSecond().burst(11))
        .isNotEqualTo(Limit.leakyBucket(10).perSecond());
    assertThat(Limit.fixedWindow(1).per(Duration.ofDays(1)))
        .isNotEqualTo(Limit.fixedWindow(1).perDay());
  }

  @Test
  void bucketsAreSharedBetweenLimitsOfOneAlgorithmAndPeriod() {
    List<Limit> apart =
        List.of(
            Limit.tokenBucket(1).perSecond(),
            Limit.tokenBucket(1).perMinute(),
            Limit.leakyBucket(1).perSecond(),
            Limit.leakyBucket(1).perMinute(),
            Limit.fixedWindow(1).perSecond(),
            Limit.fixedWindow(1).per(Duration.ofDays(1)),
            Limit.fixedWindow(1).perDay(),
            Limit.fixedWindow(1).perDay().zone(ZoneId.of("Europe/Paris")),
            Limit.slidingLog(1).perSecond(),
            Limit.slidingLog(1).perMinute(),
            Limit.slidingWindow(1).perSecond(),
            Limit.slidingWindow(1).perMinute(),
            Limit.slidingEpochs(1).perSecond(),
            Limit.slidingEpochs(1).perMinute(),
            Limit.slidingEpochs(1).perSecond().epochs(5));
    for (Limit one : apart) {
      for (Limit other : apart) {
        assertThat(one.sharesBucketsWith(other)).as("%s, %s", one, other).isEqualTo(one == other);
      }
    }
    assertThat(Limit.tokenBucket(1).perSecond())
        .matches(l -> l.sharesBucketsWith(Limit.tokenBucket(9).perSecond().burst(99)));
    assertThat(Limit.slidingLog(1).perSecond())
        .matches(l -> l.sharesBucketsWith(Limit.slidingLog(9).perSecond().countingRejected()));
    assertThat(Limit.slidingEpochs(1).perSecond())
        .matches(l -> l.sharesBucketsWith(Limit.slidingEpochs(9).perSecond().countingRejected()));
  }

  @Test
  void zeroPermitsHaveNoCapacity() {
    for (Function<Long, Limit.Per<? extends Limit>> limit : ALL) {
      assertThat(limit.apply(0L).perSecond().capacity()).isZero();
    }
  }
}
