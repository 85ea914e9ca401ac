package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The limiter as its users see it. */
@Timeout(60)
class RateLimiterTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Limit... limits) {
    return TestLimiters.of(time, limits);
  }

  static Stream<Limit> threePerTenSeconds() {
    Duration period = Duration.ofSeconds(10);
    return Stream.of(
        Limit.tokenBucket(3).per(period),
        Limit.leakyBucket(3).per(period).queue(2),
        Limit.fixedWindow(3).per(period),
        Limit.slidingLog(3).per(period),
        Limit.slidingLog(3).per(period).countingRejected(),
        Limit.slidingWindow(3).per(period),
        Limit.slidingEpochs(3).per(period),
        Limit.slidingEpochs(3).per(period).countingRejected());
  }

  // The simple form.

  @Test
  void atMostThreeInAnyTenSecondsForEachUser() {
    RateLimiter limiter = new RateLimiter(3, 10_000);
    Object[][] table = {
      {"A", 0L, true},
      {"A", 1L, true},
      {"B", 5_000_000L, true},
      {"A", 2L, true},
      {"A", 3L, false},
      {"A", 9_999L, false},
      {"B", 5_000_001L, true},
      {"A", 10_000L, true},
      {"A", 10_000L, false},
      {"A", 10_001L, true},
      {"B", 5_000_002L, true},
      {"B", 5_009_999L, false},
      {"B", 5_010_000L, true},
      {"A", 10_001L, false},
    };
    for (Object[] row : table) {
      assertThat(limiter.allow((String) row[0], (long) row[1]))
          .as("%s at %s", row[0], row[1])
          .isEqualTo(row[2]);
    }
    assertThat(limiter.limits()).containsExactly(Limit.slidingLog(3).per(Duration.ofSeconds(10)));
  }

  @Test
  void checkAtReturnsFullDecision() {
    RateLimiter limiter = limiter(Limit.tokenBucket(2).per(Duration.ofSeconds(10)));
    assertThat(limiter.checkAt("a", 2, 1000).remaining()).isZero();
    Decision refused = limiter.checkAt("a", 1, 2000);
    assertThat(refused.retryAfter()).contains(Duration.ofMillis(4000));
    assertThat(refused.time()).isEqualTo(Instant.ofEpochMilli(2000));
  }

  @Test
  void aTimeOffTheTimelineIsNamed() {
    RateLimiter limiter = new RateLimiter(3, 10_000);
    assertThat(limiter.allow("a", 0)).isTrue();
    assertThatThrownBy(() -> limiter.allow("a", 1L << 41))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("time 2199023255552 ms");
  }

  // The verbs.

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void threePassAndTheFourthWaits(Limit limit) {
    RateLimiter limiter = limiter(limit);
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    for (int left = 2; left >= 0; left--) {
      Decision decision = limiter.check("a");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.remaining()).isEqualTo(left);
      assertThat(decision.retryAfter()).contains(Duration.ZERO);
      assertThat(decision.origin()).isEqualTo(Origin.MEMORY);
      assertThat(decision.limit()).isEqualTo(limit);
      assertThat(decision.cost()).isEqualTo(1);
    }
    Duration wait = limiter.peek("a").retryAfter().orElseThrow();
    assertThat(wait).isPositive();
    assertThat(limiter.tryAcquire("b")).as("another key").isTrue();

    time.advance(wait.minusNanos(1));
    assertThat(limiter.peek("a").allowed()).isFalse();
    time.advance(Duration.ofNanos(1));
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void tryAcquireAndCheckDecideAlike(Limit limit) {
    RateLimiter checked = limiter(limit);
    RateLimiter tried = limiter(limit);
    long[] steps = {0, 1, 500, 999, 3333, 3334, 0, 5000, 9999, 10_000, 1, 3, 12_345};
    for (int i = 0; i < 300; i++) {
      time.advance(Duration.ofMillis(steps[i % steps.length] * (i % 3)));
      long cost = 1L + i % 4;
      assertThat(tried.tryAcquire("a", cost))
          .as("step %d", i)
          .isEqualTo(checked.check("a", cost).allowed());
      assertThat(tried.peek("a")).isEqualTo(checked.peek("a"));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void peekSpendsNothingAndReturnsTheDecisionOfACheck(Limit limit) {
    RateLimiter limiter = limiter(limit);
    for (int i = 0; i < 3; i++) {
      Decision peeked = limiter.peek("a");
      assertThat(limiter.peek("a")).isEqualTo(peeked);
      Decision checked = limiter.check("a");
      assertThat(checked.allowed()).isEqualTo(peeked.allowed());
      assertThat(checked.delay()).isEqualTo(peeked.delay());
      assertThat(checked.remaining()).isEqualTo(peeked.remaining() - 1);
    }
    assertThat(limiter.peek("a").allowed()).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void aCostOfZeroIsAlwaysAllowedAndChangesNothing(Limit limit) {
    RateLimiter limiter = limiter(limit);
    limiter.tryAcquire("a", 3);
    Decision before = limiter.peek("a");
    assertThat(limiter.tryAcquire("a", 0)).isTrue();
    assertThat(limiter.check("a", 0).allowed()).isTrue();
    assertThat(limiter.check("a", 0).delay()).isZero();
    assertThat(limiter.peek("a", 0).remaining()).isZero();
    assertThat(limiter.reserve("a", 0, LONG).granted()).isTrue();
    assertThat(limiter.peek("a")).isEqualTo(before);
    assertThat(limiter.tryAcquire("b", 0)).isTrue();
    assertThat(limiter.check("b", 0).remaining()).isEqualTo(3);
    assertThat(limiter.keys()).isEqualTo(1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void aCostAboveCapacityNeverFitsAndIsNotCounted(Limit limit) {
    RateLimiter limiter = limiter(limit);
    for (long cost : new long[] {4, 1L << 31, 1L << 40, Long.MAX_VALUE}) {
      assertThat(limiter.tryAcquire("a", cost)).isFalse();
      Decision decision = limiter.check("a", cost);
      assertThat(decision.allowed()).isFalse();
      assertThat(decision.neverFits()).isTrue();
      assertThat(decision.retryAfter()).isEmpty();
      assertThat(decision.remaining()).isEqualTo(3);
      Reservation reservation = limiter.reserve("a", cost, LONG);
      assertThat(reservation.granted()).isFalse();
      assertThat(reservation.decision().neverFits()).isTrue();
      assertThat(limiter.peek("a", cost).neverFits()).isTrue();
    }
    assertThat(limiter.keys()).isZero();
    assertThat(limiter.tryAcquire("a", 3)).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void refundAndResetGiveBack(Limit limit) {
    RateLimiter limiter = limiter(limit);
    limiter.tryAcquire("a", 3);
    limiter.refund("a", 2);
    assertThat(limiter.peek("a").remaining()).isEqualTo(2);
    limiter.refund("a", Long.MAX_VALUE);
    assertThat(limiter.peek("a").remaining()).as("never above full").isEqualTo(3);
    limiter.refund("unused", 5);
    limiter.refund("a", 0);
    assertThat(limiter.peek("unused").remaining()).isEqualTo(3);
    limiter.tryAcquire("a", 3);
    limiter.reset("a");
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    assertThat(limiter.check("a", 3).allowed()).isTrue();
    limiter.reset("unused");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void bucketIsFullAfterTenIdleYears(Limit limit) {
    RateLimiter limiter = limiter(limit);
    limiter.tryAcquire("a", 3);
    time.advance(Duration.ofDays(3650));
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    assertThat(limiter.tryAcquire("a", 3)).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("threePerTenSeconds")
  void acceptsAnyClock(Limit limit) {
    for (long origin :
        new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE - Duration.ofDays(1).toNanos()}) {
      time.setNanos(origin);
      RateLimiter limiter = limiter(limit);
      assertThat(limiter.tryAcquire("a", 3)).isTrue();
      assertThat(limiter.tryAcquire("a")).isFalse();
      time.advance(Duration.ofSeconds(30));
      assertThat(limiter.tryAcquire("a", 3)).isTrue();
    }
  }

  // Several limits.

  @Test
  void severalLimitsTakeFromAllOrNone() {
    RateLimiter limiter =
        limiter(Limit.tokenBucket(5).perMinute(), Limit.slidingLog(2).perSecond());
    assertThat(limiter.check("a", 2).allowed()).isTrue();
    Decision refused = limiter.check("a");
    assertThat(refused.limit()).isEqualTo(Limit.slidingLog(2).perSecond());
    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(refused.standings()).extracting(LimitStatus::remaining).containsExactly(3L, 0L);
    assertThat(refused.remaining()).isZero();
    time.advance(Duration.ofSeconds(1));
    assertThat(limiter.tryAcquire("a", 2)).isTrue();
    time.advance(Duration.ofSeconds(1));
    assertThat(limiter.tryAcquire("a", 2)).as("one is left of five").isFalse();
    assertThat(limiter.tryAcquire("a", 1)).isTrue();
    assertThat(limiter.check("a", 3).neverFits()).isTrue();
  }

  @Test
  void aRefusalByOneLimitCountsInTheOther() {
    Limit counting = Limit.slidingLog(3).perMinute().countingRejected();
    for (boolean quick : new boolean[] {true, false}) {
      RateLimiter limiter = limiter(counting, Limit.fixedWindow(1).perSecond());
      assertThat(limiter.tryAcquire("a")).isTrue();
      boolean again = quick ? limiter.tryAcquire("a") : limiter.check("a").allowed();
      assertThat(again).isFalse();
      assertThat(limiter.peek("a").standings())
          .extracting(LimitStatus::remaining)
          .containsExactly(1L, 0L);
      limiter.reserve("a", 1, Duration.ZERO);
      assertThat(limiter.peek("a").standings().get(0).remaining())
          .as("a refused reservation counts nowhere")
          .isEqualTo(1);
    }
  }

  // The rest.

  @Test
  void limiterDescribesItself() {
    RateLimiter limiter =
        RateLimiter.builder().name("api").limit(Limit.slidingLog(1).perMinute()).time(time).build();
    limiter.tryAcquire("a");
    assertThat(limiter.name()).isEqualTo("api");
    assertThat(limiter.keys()).isEqualTo(1);
    assertThat(limiter.overflowed()).isZero();
    assertThat(limiter).hasToString("RateLimiter[api: [sliding-log 1 per 1m], 1 keys]");
    assertThat(RateLimiter.of(Limit.slidingLog(1).perMinute()).name()).isEqualTo("default");
  }

  @Test
  void aStoreMayBeGiven() {
    RateLimiter limiter =
        RateLimiter.builder()
            .limit(Limit.slidingLog(1).perMinute())
            .store(Store.memory())
            .time(time)
            .build();
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }
}
