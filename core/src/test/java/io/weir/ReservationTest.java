package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Places in the future, and costs that are known only afterwards. */
class ReservationTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = TimeSource.manual();
  private final RateLimiter limiter = limiter(Limit.tokenBucket(10).perSecond());

  private RateLimiter limiter(Limit limit) {
    return RateLimiter.builder().limit(limit).time(time).build();
  }

  private long left() {
    return limiter.peek("a").remaining();
  }

  @Test
  void returnsTheWait() {
    assertThat(limiter.reserve("a", 10, LONG).delay()).isZero();
    Reservation next = limiter.reserve("a");
    assertThat(next.granted()).isTrue();
    assertThat(next.delay()).isEqualTo(Duration.ofMillis(100));
    assertThat(next.decision().allowed()).isTrue();
    assertThat(limiter.reserve("a").delay()).isEqualTo(Duration.ofMillis(200));
    assertThat(next.toString())
        .startsWith("Reservation[Decision[allowed")
        .doesNotContain("settled");
  }

  @Test
  void isRefusedWhereTheWaitIsTooLong() {
    limiter.tryAcquire("a", 10);
    Reservation refused = limiter.reserve("a", 1, Duration.ofMillis(99));
    assertThat(refused.granted()).isFalse();
    assertThat(refused.delay()).isZero();
    assertThat(refused.decision().retryAfter()).contains(Duration.ofMillis(100));
    refused.cancel();
    refused.settle(5);
    assertThat(refused.toString()).endsWith(", settled]");
    assertThat(limiter.reserve("a", 1, Duration.ofMillis(100)).granted()).isTrue();
  }

  /** An entry is stamped by the end of its tick, so that the next turn is a tick later still. */
  @Test
  void aLogThatHasJustFilledUpBetweenTwoTicksHasATurnAPeriodLater() {
    RateLimiter log = limiter(Limit.slidingLog(2).perSecond());
    time.setNanos(1_000_300_000);
    log.tryAcquire("a", 2);
    Reservation next = log.reserve("a");
    assertThat(next.delay()).isEqualTo(Duration.ofMillis(1001));
    time.setNanos(1_000_300_000 + 1_001_000_000);
    assertThat(log.peek("a").remaining()).isEqualTo(1);
  }

  @Test
  void aLeakyTurnThatIsTooFarAwayIsRefused() {
    RateLimiter leaky = limiter(Limit.leakyBucket(1).perMinute().queue(5));
    leaky.tryAcquire("a", 3);
    Reservation refused = leaky.reserve("a", 1, Duration.ofMinutes(2));
    assertThat(refused.granted()).isFalse();
    assertThat(leaky.reserve("a", 1, Duration.ofMinutes(3)).delay())
        .isEqualTo(Duration.ofMinutes(3));
  }

  @Test
  void cancelGivesBackOnce() {
    Reservation reservation = limiter.reserve("a", 4, LONG);
    limiter.tryAcquire("a", 5);
    assertThat(left()).isEqualTo(1);
    reservation.cancel();
    assertThat(left()).isEqualTo(5);
    reservation.cancel();
    reservation.settle(10);
    assertThat(left()).isEqualTo(5);
  }

  @Test
  void settlingForLessGivesBackTheRest() {
    Reservation reservation = limiter.reserve("a", 6, LONG);
    reservation.settle(2);
    assertThat(left()).isEqualTo(8);
    reservation.settle(0);
    assertThat(left()).isEqualTo(8);
  }

  @Test
  void settlingForTheSameChangesNothing() {
    limiter.reserve("a", 6, LONG).settle(6);
    assertThat(left()).isEqualTo(4);
  }

  @Test
  void settlingForMoreTakesItEvenIfItIsNotThere() {
    Reservation reservation = limiter.reserve("a", 6, LONG);
    reservation.settle(13);
    assertThat(left()).isZero();
    assertThat(limiter.peek("a").retryAfter()).contains(Duration.ofMillis(400));
    limiter.reserve("b", 1, LONG).settle(Long.MAX_VALUE);
    assertThat(limiter.peek("b").retryAfter()).contains(Duration.ofMillis(1100));
  }

  @Test
  void aLateCancelGivesOnlyWhatHasNotFlowedBack() {
    Reservation reservation = limiter.reserve("a", 4, LONG);
    limiter.tryAcquire("a", 6);
    time.advance(Duration.ofMillis(300));
    assertThat(left()).isEqualTo(3);
    reservation.cancel();
    assertThat(left()).isEqualTo(4);
  }

  @Test
  void afterAChangeOfLimitsNothingIsGivenBack() {
    Reservation reservation = limiter.reserve("a", 4, LONG);
    limiter.reconfigure(Limit.tokenBucket(10).perSecond().burst(20));
    assertThat(left()).isEqualTo(16);
    reservation.cancel();
    assertThat(left()).isEqualTo(16);
    Reservation other = limiter.reserve("a", 4, LONG);
    limiter.reconfigure(Limit.tokenBucket(20).perSecond());
    other.settle(6);
    assertThat(left()).as("what was used is charged all the same").isEqualTo(2);
  }

  @Test
  void settlesAsynchronously() {
    Reservation reservation = limiter.reserve("a", 4, LONG);
    CompletionStage<Void> first = reservation.settleAsync(1);
    CompletionStage<Void> second = reservation.settleAsync(0);
    assertThat(first.toCompletableFuture()).isCompleted();
    assertThat(second.toCompletableFuture()).isCompleted();
    assertThat(left()).isEqualTo(9);
  }

  @Test
  void waitsForAllLimits() {
    RateLimiter both =
        RateLimiter.builder()
            .limit(Limit.tokenBucket(1).perSecond())
            .limit(Limit.slidingLog(2).perMinute())
            .time(time)
            .build();
    assertThat(both.reserve("a").delay()).isZero();
    assertThat(both.reserve("a").delay()).isEqualTo(Duration.ofSeconds(1));
    Reservation third = both.reserve("a", 1, Duration.ofSeconds(59));
    assertThat(third.granted()).isFalse();
    assertThat(third.decision().limit()).isEqualTo(Limit.slidingLog(2).perMinute());
  }
}
