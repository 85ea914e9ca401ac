package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Former bugs of one store or another. */
interface RegressionTests extends StoreTests {
  /**
   * It was granted without a charge, because the leaky bucket had room for it; only its turn is
   * late.
   */
  @Test
  default void reservationWithATurnTooLateIsRefused() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.leakyBucket(1).perSecond().queue(5));
    limiter.check("key");

    Reservation refused = limiter.reserve("key", 1, Duration.ofMillis(999));
    assertThat(refused.granted()).isFalse();
    assertThat(refused.decision().retryAfter()).contains(Duration.ofSeconds(1));

    harness().advance(Duration.ofMillis(1));
    Reservation granted = limiter.reserve("key", 1, Duration.ofMillis(999));
    assertThat(granted.granted()).isTrue();
    assertThat(granted.delay()).isEqualTo(Duration.ofMillis(999));
  }

  /** Epochs allowed reservations only up to the last epoch, not one period ahead. */
  @Test
  default void aReservationReachesOnePeriodAhead() {
    needs(Harness.Ability.MANUAL_TIME);
    Duration second = Duration.ofSeconds(1);
    RateLimiter limiter =
        harness()
            .limiter(
                Limit.slidingLog(1).per(second), Limit.slidingEpochs(10).per(second).epochs(1));
    harness().setNanos(Harness.MIDNIGHT + 999_000_000);
    limiter.check("key");

    assertThat(limiter.reserve("key").delay()).isEqualTo(second);
  }

  /** A million permits were copied one by one, in quadratic time, and then cut off again. */
  @Test
  @Timeout(10)
  default void aLogThatIsCutToATinyOneIsCutQuickly() {
    Duration year = Duration.ofDays(365);
    RateLimiter limiter = harness().limiter(Limit.slidingLog(1_000_000).per(year));
    limiter.check("key", 1_000_000);

    limiter.reconfigure(Limit.slidingLog(1).per(year));

    assertThat(limiter.check("key").allowed()).isFalse();
  }

  /** In memory it counted as a change, after which nothing is given back. */
  @Test
  default void aChangeToTheSameLimitsIsNone() {
    Limit limit = Limit.slidingLog(9).perDay();
    RateLimiter limiter = harness().limiter(limit);
    Reservation reservation = limiter.reserve("key", 3, Duration.ZERO);

    limiter.reconfigure(limit);
    reservation.cancel();

    assertThat(limiter.peek("key").remaining()).isEqualTo(9);
  }

  /** The time in which the second charge refilled was given back with it once more. */
  @Test
  default void aBucketGivesNothingBackTwice() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(10).per(Duration.ofSeconds(10)));
    Reservation first = limiter.reserve("key", 5, Duration.ZERO);
    Reservation second = limiter.reserve("key", 5, Duration.ZERO);
    first.cancel();
    harness().advance(Duration.ofSeconds(5));
    assertThat(limiter.check("key", 10).allowed()).isTrue();

    second.cancel();

    assertThat(limiter.check("key").allowed()).isFalse();
  }
}
