package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Limits that change while in use keep what was spent. */
@Timeout(60)
class ReconfigureTest {
  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Limit... limits) {
    RateLimiter.Builder builder = RateLimiter.builder().time(time);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.build();
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
    assertThat(limiter.peek("nobody").remaining()).isEqualTo(3);
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

  /** The clock may be anywhere: it says nothing about the times of those who bring their own. */
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

  @Test
  void limitsMayBeAddedAndTakenAway() {
    Limit bucket = Limit.tokenBucket(10).perMinute();
    Limit log = Limit.slidingLog(5).perMinute();
    RateLimiter limiter = limiter(bucket);
    limiter.tryAcquire("a", 4);
    limiter.reconfigure(log, bucket);
    assertThat(limiter.peek("a").standings())
        .extracting(Standing::remaining)
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
}
