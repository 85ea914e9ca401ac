package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits that change while in use keep what was spent. */
@Timeout(60)
class ReconfigureTest {
  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Limit... limits) {
    return TestLimiters.of(time, limits);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("io.weir.RateLimiterTest#threePerTenSeconds")
  void reconfigureKeepsWhatWasSpent(Limit limit) {
    RateLimiter limiter = limiter(limit);
    for (int i = 0; i < 500; i++) {
      limiter.tryAcquire("k" + i, 2);
    }
    Limit same = more(limit, 3);
    limiter.reconfigure(same);
    assertThat(limiter.limits()).containsExactly(same);
    for (int i = 0; i < 500; i++) {
      assertThat(limiter.peek("k" + i).remaining()).isEqualTo(1);
    }
    assertThat(limiter.peek("unused").remaining()).isEqualTo(3);
    limiter.reconfigure(more(limit, 1));
    assertThat(limiter.peek("k7").remaining()).isZero();
    limiter.reconfigure(Limit.tokenBucket(2).perHour());
    assertThat(limiter.peek("k7").remaining()).as("another period starts fresh").isEqualTo(2);
  }

  private static Limit more(Limit limit, long permits) {
    Duration period = Duration.ofSeconds(10);
    return switch (limit.algorithm()) {
      case "token-bucket" -> Limit.tokenBucket(permits).per(period);
      case "leaky-bucket" -> new Limit.LeakyBucket(permits, period, permits - 1);
      case "fixed-window" -> Limit.fixedWindow(permits).per(period);
      case "sliding-log" -> Limit.slidingLog(permits).per(period);
      case "sliding-window" -> Limit.slidingWindow(permits).per(period);
      default -> Limit.slidingEpochs(permits).per(period);
    };
  }

  /** The clock may show any time: it is unrelated to times given by callers. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("io.weir.RateLimiterTest#threePerTenSeconds")
  void reconfigureKeepsWhatWasSpentAtGivenTimes(Limit limit) {
    for (long clockMillis : new long[] {-1_000_000_000_000L, 0, 1_000_000_000_000L}) {
      time.set(Instant.ofEpochMilli(clockMillis));
      RateLimiter limiter = limiter(limit);
      limiter.checkAt("early", 2, 5);
      limiter.checkAt("late", 2, 500_000_000_005L);
      limiter.reconfigure(more(limit, 3));
      assertThat(limiter.checkAt("early", 0, 5).remaining()).isEqualTo(1);
      assertThat(limiter.checkAt("late", 0, 500_000_000_005L).remaining()).isEqualTo(1);
    }
  }

  /** Spent in parts, none of which is more than the smaller limit, or the sum of which is more. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("spentInParts")
  void aClockPutBackWhileTheLimitIsLoweredHandsOutNothing(
      String name, Limit limit, Limit lower, long part, List<Duration> moments) {
    Instant start = Instant.parse("2026-11-19T00:00:00Z");
    time.set(start);
    RateLimiter limiter = limiter(limit);
    for (Duration moment : moments) {
      time.set(start.plus(moment));
      assertThat(limiter.tryAcquire("k", part)).isTrue();
    }
    limiter.reconfigure(lower);
    for (int i = 0;
        i < 1000;
        i++) { // so that tables of the lower limit's size may take their place
      time.advance(Duration.ofMillis(1));
      limiter.tryAcquire("k");
    }
    time.set(start.minusSeconds(30));
    assertThat(limiter.tryAcquire("k")).isFalse();
    limiter.reconfigure(limit);
    assertThat(limiter.peek("k").remaining()).isZero();
  }

  static Stream<Arguments> spentInParts() {
    Duration period = Duration.ofSeconds(12);
    return Stream.of(
        arguments(
            "epochs",
            Limit.slidingEpochs(40).per(period).epochs(4),
            Limit.slidingEpochs(10).per(period).epochs(4),
            10,
            List.of(
                Duration.ZERO,
                Duration.ofSeconds(3),
                Duration.ofSeconds(6),
                Duration.ofSeconds(9))),
        arguments(
            "windows",
            Limit.slidingWindow(40).per(period),
            Limit.slidingWindow(30).per(period),
            20,
            List.of(Duration.ofMillis(11_999), Duration.ofMillis(12_001 + 1))));
  }

  /**
   * All 40 permits are spent. A raised rate keeps the time, which is 160 permits then; a lowered
   * one takes no more than twice the largest burst for owed. See docs/decisions/0029.
   */
  @ParameterizedTest(name = "rates {0} per 12 s: full after {1} s")
  @CsvSource({
    "40,                12",
    "10,                48",
    "10 40,             48",
    "10 40 10,          96",
    "10 40 10 40 10,    96",
    "20 10,             48",
    "10 5,              96",
    "80 10,             96",
  })
  void waitsAfterReloadsAreNeverShorterThanTrueAndBounded(String rates, long seconds) {
    Duration period = Duration.ofSeconds(12);
    RateLimiter limiter = limiter(Limit.tokenBucket(40).per(period));
    assertThat(limiter.tryAcquire("k", 40)).isTrue();
    for (String rate : rates.split(" ")) {
      limiter.reconfigure(Limit.tokenBucket(Long.parseLong(rate)).per(period).burst(40));
    }
    assertThat(limiter.peek("k").resetAfter()).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void limitsMayBeAddedAndTakenAway() {
    Limit bucket = Limit.tokenBucket(10).perMinute();
    Limit log = Limit.slidingLog(5).perMinute();
    RateLimiter limiter = limiter(bucket);
    limiter.tryAcquire("a", 4);
    limiter.reconfigure(log, bucket);
    assertThat(limiter.peek("a").standings())
        .extracting(LimitStatus::remaining)
        .containsExactly(5L, 6L);
    limiter.tryAcquire("a", 2);
    limiter.reconfigure(log);
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    limiter.reconfigure(bucket);
    assertThat(limiter.peek("a").remaining()).as("was gone meanwhile").isEqualTo(10);
  }

  @Test
  void reconfigureBeforeUseIsFine() {
    RateLimiter limiter = limiter(Limit.tokenBucket(10).perMinute());
    limiter.reconfigure(Limit.slidingLog(1).perMinute());
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  /** From a limit to another and back, all at one instant. */
  static Stream<Arguments> changes() {
    List<Arguments> all = new ArrayList<>();
    for (long more : new long[] {15, 40, 1000}) { // ratios of 1.5, 4 and 100
      for (String algorithm : ALGORITHMS) {
        all.add(arguments(limit(algorithm, more, more), limit(algorithm, 10, 10)));
      }
      for (String bucket : ALGORITHMS.subList(0, 2)) {
        if (bucket.equals("token-bucket")) { // a queue is not emptied at once, but in its time
          all.add(arguments(limit(bucket, more, more), limit(bucket, 10, more)));
        }
        all.add(arguments(limit(bucket, more, more), limit(bucket, more, 10)));
        all.add(arguments(limit(bucket, 10, more), limit(bucket, more, 10)));
      }
    }
    return all.stream();
  }

  private static final List<String> ALGORITHMS =
      List.of(
          "token-bucket",
          "leaky-bucket",
          "fixed-window",
          "sliding-window",
          "sliding-log",
          "counting log",
          "sliding-epochs",
          "counting epochs");

  private static Limit limit(String algorithm, long permits, long burst) {
    Duration period = Duration.ofSeconds(12);
    return switch (algorithm) {
      case "token-bucket" -> Limit.tokenBucket(permits).per(period).burst(burst);
      case "leaky-bucket" -> new Limit.LeakyBucket(permits, period, burst - 1);
      case "fixed-window" -> Limit.fixedWindow(permits).per(period);
      case "sliding-window" -> Limit.slidingWindow(permits).per(period);
      case "sliding-log" -> Limit.slidingLog(permits).per(period);
      case "counting log" -> Limit.slidingLog(permits).per(period).countingRejected();
      case "sliding-epochs" -> Limit.slidingEpochs(permits).per(period);
      default -> Limit.slidingEpochs(permits).per(period).countingRejected();
    };
  }

  private static long takeAll(RateLimiter limiter, String key) {
    long taken = 0;
    while (limiter.tryAcquire(key)) {
      taken++;
    }
    return taken;
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @MethodSource("changes")
  void aLimitThatIsLoweredAndRaisedAgainHandsOutNothingTwice(Limit one, Limit other) {
    RateLimiter limiter = limiter(one);
    long maxCapacity = Math.max(one.capacity(), other.capacity());
    long taken = takeAll(limiter, "k");
    assertThat(taken).isEqualTo(one.capacity());
    for (int i = 0; i < 3; i++) {
      limiter.reconfigure(other);
      taken += takeAll(limiter, "k");
      assertThat(limiter.check("k").remaining()).isZero();
      assertThat(limiter.peek("k").standings().get(0).remaining()).isZero();
      assertThat(taken).isLessThanOrEqualTo(maxCapacity);
      limiter.reconfigure(one);
      taken += takeAll(limiter, "k");
      assertThat(taken).isLessThanOrEqualTo(maxCapacity);
    }
    assertThat(takeAll(limiter, "another")).isEqualTo(one.capacity());
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @MethodSource("changes")
  void nothingIsHandedOutTwiceWhereTheTableIsNarrowAgain(Limit one, Limit other) {
    RateLimiter limiter = limiter(one);
    for (int i = 0; i < 500; i++) {
      limiter.tryAcquire("k" + i, 10);
    }
    limiter.reconfigure(other);
    for (int i = 0; i < 1000; i++) { // time to move on to a narrow table, if nothing hinders it
      time.advance(Duration.ofMillis(1));
      limiter.tryAcquire("passer-by");
    }
    limiter.reconfigure(one);
    for (int i = 0; i < 500; i++) {
      long maxCapacity = Math.max(one.capacity(), other.capacity());
      long flown = (Math.max(one.permits(), other.permits()) + 11) / 12;
      assertThat(10 + takeAll(limiter, "k" + i)).isLessThanOrEqualTo(maxCapacity + flown);
    }
  }
}
