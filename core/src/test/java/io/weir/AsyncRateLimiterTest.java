package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The same results, as stages; in memory they are complete at once. */
class AsyncRateLimiterTest {
  private final ManualTime time = TimeSource.manual();
  private final RateLimiter limiter =
      RateLimiter.builder().limit(Limit.tokenBucket(5).perSecond()).time(time).build();
  private final AsyncRateLimiter async = limiter.async();

  private static <T> T now(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isCompleted();
    return stage.toCompletableFuture().join();
  }

  @Test
  void asyncMethodsDecideLikeTheBlockingOnes() {
    assertThat(now(async.tryAcquire("a"))).isTrue();
    assertThat(now(async.tryAcquire("a", 2))).isTrue();
    assertThat(now(async.check("a")).remaining()).isEqualTo(1);
    assertThat(now(async.peek("a", 1))).isEqualTo(limiter.peek("a", 1));
    assertThat(now(async.check("a", 2)).retryAfter()).contains(Duration.ofMillis(200));
    now(async.refund("a", 2));
    assertThat(limiter.peek("a").remaining()).isEqualTo(3);
    now(async.reset("a"));
    assertThat(limiter.peek("a").remaining()).isEqualTo(5);
    Reservation reservation = now(async.reserve("a", 5, Duration.ZERO));
    assertThat(reservation.granted()).isTrue();
    now(reservation.settleAsync(0));
    assertThat(limiter.peek("a").remaining()).isEqualTo(5);
    assertThat(now(async.tryAcquire("a", 6))).isFalse();
  }
}
