package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid arguments, which are rejected or decided without harm. */
@Timeout(60)
class BadInputTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Limit... limits) {
    return TestLimiters.of(time, limits);
  }

  @Test
  void nullKeyIsRejectedByName() {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.tryAcquire(null),
            () -> limiter.tryAcquire(null, 1),
            () -> limiter.check(null),
            () -> limiter.peek(null),
            () -> limiter.reserve(null),
            () -> limiter.acquire(null, LONG),
            () -> limiter.refund(null, 1),
            () -> limiter.reset(null),
            () -> limiter.allow(null, 0),
            () -> limiter.checkAt(null, 1, 0),
            () -> limiter.async().check(null),
            () -> Charge.of(limiter, null));
    for (var call : calls) {
      assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage("key");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE})
  void aCalendarWindowHoldsToTheEndOfTime(long epochMillis) {
    RateLimiter limiter = limiter(Limit.fixedWindow(1).perDay());
    assertThat(limiter.checkAt("a", 1, epochMillis).allowed()).isTrue();
    assertThat(limiter.checkAt("a", 1, epochMillis).allowed()).isFalse();
  }

  @Test
  void theEmptyKeyIsAKey() {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    assertThat(limiter.tryAcquire("")).isTrue();
    assertThat(limiter.tryAcquire("")).isFalse();
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  @Test
  void aKeyOfAMegabyteIsAKey() {
    RateLimiter limiter = limiter(Limit.slidingLog(1).perMinute());
    String key = "k".repeat(1 << 20);
    String wide = "語".repeat(1 << 20);
    assertThat(limiter.tryAcquire(key)).isTrue();
    assertThat(limiter.tryAcquire(key)).isFalse();
    assertThat(limiter.tryAcquire(key + "k")).isTrue();
    assertThat(limiter.tryAcquire(wide)).isTrue();
    assertThat(limiter.check(wide).allowed()).isFalse();
  }

  @ParameterizedTest(name = "cost {0}")
  @ValueSource(longs = {-1, Long.MIN_VALUE})
  void aNegativeCostIsRefusedByValue(long cost) {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    Reservation reservation = limiter.reserve("a");
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.tryAcquire("a", cost),
            () -> limiter.check("a", cost),
            () -> limiter.peek("a", cost),
            () -> limiter.reserve("a", cost, LONG),
            () -> limiter.acquire("a", cost, LONG),
            () -> limiter.checkAt("a", cost, 0),
            () -> limiter.async().tryAcquire("a", cost),
            () -> Charge.of(limiter, "a", cost));
    expectRefusal(calls, "cost must not be negative, but is " + cost);
    expectRefusal(
        List.of(() -> limiter.refund("a", cost), () -> limiter.async().refund("a", cost)),
        "permits must not be negative, but is " + cost);
    expectRefusal(
        List.of(() -> reservation.settle(cost), () -> reservation.settleAsync(cost)),
        "actualCost must not be negative, but is " + cost);
  }

  private static void expectRefusal(List<ThrowingCallable> calls, String message) {
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
  }

  @Test
  void aNegativeWaitIsRefusedByValue() {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    Duration wait = Duration.ofNanos(-1);
    List<ThrowingCallable> calls =
        List.of(
            () -> limiter.acquire("a", wait),
            () -> limiter.reserve("a", 1, wait),
            () -> limiter.async().reserve("a", 1, wait));
    expectRefusal(calls, "longestWait must not be negative, but is PT-0.000000001S");
    assertThatThrownBy(() -> limiter.reserve("a", 1, null)).hasMessage("longestWait");
  }

  @Test
  void anEndlessWaitIsAWait() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(2).perMinute());
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    assertThat(limiter.acquire("a", endless)).isTrue();
    assertThat(limiter.reserve("a", 1, endless).delay()).isZero();
    assertThat(limiter.reserve("a", 1, endless).delay()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aBadLimitIsRefusedBeforeALimiterExists() {
    assertThatThrownBy(() -> new RateLimiter(-1, 1000)).hasMessageContaining("-1");
    assertThatThrownBy(() -> new RateLimiter(1, 0)).hasMessageContaining("0ms");
    assertThatThrownBy(() -> new RateLimiter(1, -5)).hasMessageContaining("-5ms");
    assertThatThrownBy(() -> new RateLimiter(1, Long.MAX_VALUE))
        .hasMessageContaining("9223372036854775807ms");
    assertThatThrownBy(() -> RateLimiter.builder().build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limits must not be empty");
    assertThatThrownBy(() -> RateLimiter.builder().limit(null)).hasMessage("limit");
    assertThatThrownBy(() -> RateLimiter.builder().name(null)).hasMessage("name");
    assertThatThrownBy(() -> RateLimiter.builder().time(null)).hasMessage("time");
  }

  @Test
  void aRateOfZeroRefusesAll() throws Exception {
    RateLimiter limiter = new RateLimiter(0, 1000);
    assertThat(limiter.allow("a", 0)).isFalse();
    RateLimiter bucket = limiter(Limit.tokenBucket(0).perSecond());
    assertThat(bucket.tryAcquire("a")).isFalse();
    assertThat(bucket.check("a").neverFits()).isTrue();
    assertThat(bucket.check("a").remaining()).isZero();
    assertThat(bucket.check("a", 0).allowed()).isTrue();
    assertThat(bucket.acquire("a", LONG)).isFalse();
    assertThat(bucket.keys()).isZero();
  }
}
