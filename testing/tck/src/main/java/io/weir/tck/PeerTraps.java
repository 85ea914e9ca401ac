package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Known bugs of other limiters, each in the smallest form that shows it. */
interface PeerTraps extends StoreTests {
  Duration SECOND = Duration.ofSeconds(1);
  Duration MILLI = Duration.ofMillis(1);

  /** 3 per 10 s are 3333⅓ ms apart: a wait of 3333 would be too short. */
  @Test
  default void waitsAreNotRoundedDown() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(3).per(Duration.ofSeconds(10)));
    limiter.check("key", 3);

    Duration wait = limiter.check("key").retryAfter().orElseThrow();
    assertThat(wait).isEqualTo(Duration.ofMillis(3334));
    harness().advance(wait);
    assertThat(limiter.tryAcquire("key")).isTrue();
  }

  /** Refill must not come in steps of whole seconds. */
  @Test
  default void refillDoesNotComeInWholeSeconds() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(10).perSecond());
    harness().setNanos(Harness.MIDNIGHT + 999_000_000);
    limiter.check("key", 10);

    harness().advance(MILLI);
    assertThat(limiter.peek("key").remaining()).as("a new second has begun").isZero();
    harness().advance(Duration.ofMillis(99));
    assertThat(limiter.peek("key").remaining()).isEqualTo(1);
  }

  @Test
  default void aClockSetBackDoesNotFreezeTheBucket() {
    needs(Harness.Ability.MANUAL_TIME);
    for (Limit limit : ConcurrencyTests.limits(10, SECOND)) {
      RateLimiter limiter = harness().limiter(limit);
      harness().setNanos(Harness.MIDNIGHT);
      limiter.check("key", 10);
      harness().advance(Duration.ofHours(-1));

      Decision refused = limiter.check("key", 10);
      assertThat(refused.allowed()).as("%s: nothing is granted twice", limit).isFalse();
      Duration wait = refused.retryAfter().orElseThrow();
      assertThat(wait).as("%s", limit).isLessThanOrEqualTo(SECOND.multipliedBy(2));
      harness().advance(wait);
      assertThat(limiter.check("key", 10).allowed()).as("%s: the promise holds", limit).isTrue();
    }
  }

  @Test
  default void aClockThatGoesBackAndForthCreditsNothingTwice() {
    needs(Harness.Ability.MANUAL_TIME);
    for (Limit limit : ConcurrencyTests.limits(4, SECOND)) {
      RateLimiter limiter = harness().limiter(limit);
      harness().setNanos(Harness.MIDNIGHT);
      long granted = 0;
      for (int i = 0; i < 100; i++) {
        granted += limiter.tryAcquire("key") ? 1 : 0;
        harness().advance(Duration.ofMillis(i % 2 == 0 ? -700 : 700));
      }
      assertThat(granted).as("%s", limit).isLessThanOrEqualTo(limit.capacity());
    }
  }

  /** Charges made after a step back went into windows that were never read. */
  @Test
  default void hitsAfterAStepBackAreSeen() {
    needs(Harness.Ability.MANUAL_TIME);
    for (Limit limit : ConcurrencyTests.limits(100, SECOND)) {
      RateLimiter limiter = harness().limiter(limit);
      harness().setNanos(Harness.MIDNIGHT);
      limiter.check("key", 10);
      harness().advance(Duration.ofSeconds(-10));
      long granted = 0;
      for (int i = 0; i < 1000; i++) {
        granted += limiter.tryAcquire("key") ? 1 : 0;
      }
      assertThat(granted).as("%s", limit).isLessThanOrEqualTo(90);
    }
  }

  /** Elapsed time times rate overflowed. */
  @Test
  default void aDecadeOfIdlenessFillsTheBucketAndNoMore() {
    needs(Harness.Ability.MANUAL_TIME);
    for (Limit limit :
        new Limit[] {
          Limit.tokenBucket(Limit.MAX_PERMITS).per(MILLI).burst(Limit.MAX_PERMITS),
          Limit.tokenBucket(1).per(MILLI).burst(5),
          Limit.leakyBucket(1000).perSecond().queue(4),
          Limit.slidingWindow(Limit.MAX_PERMITS).per(MILLI)
        }) {
      RateLimiter limiter = harness().limiter(limit);
      harness().setNanos(Harness.MIDNIGHT);
      limiter.check("key", limit.capacity());
      harness().advance(Duration.ofDays(3653));
      assertThat(limiter.peek("key").remaining()).as("%s", limit).isEqualTo(limit.capacity());
      assertThat(limiter.tryAcquire("key", limit.capacity())).isTrue();
      assertThat(limiter.tryAcquire("key")).as("%s", limit).isFalse();
    }
  }

  /** Debts beyond a period, followed by long idleness, allowed thousands in one period. */
  @Test
  default void aReservationBeforeALongRestEarnsNothing() {
    needs(Harness.Ability.MANUAL_TIME);
    for (Limit limit : ConcurrencyTests.limits(10, SECOND)) {
      RateLimiter limiter = harness().limiter(limit);
      limiter.check("key", 10);
      limiter.reserve("key", 10, Duration.ofSeconds(30));
      harness().advance(Duration.ofSeconds(1000));
      long granted = 0;
      for (int i = 0; i < 1000; i++) {
        granted += limiter.tryAcquire("key") ? 1 : 0;
      }
      assertThat(granted).as("%s", limit).isEqualTo(10);
    }
  }

  @Test
  default void moreThanTheCapacityIsNeverPromised() {
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(5).perSecond());
    Decision decision = limiter.check("key", 5000);

    assertThat(decision.allowed()).as("not even on credit").isFalse();
    assertThat(decision.neverFits()).isTrue();
    assertThat(decision.retryAfter()).isEmpty();
    assertThat(limiter.peek("key").remaining()).isEqualTo(5);
  }

  /** 2 N within a nanosecond, across the edge of a cycle. */
  @Test
  default void slidingLogHasNoWindowEdges() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.slidingLog(10).per(SECOND));
    harness().setNanos(Harness.MIDNIGHT + 999_999_999);
    limiter.check("key", 10);

    harness().setNanos(Harness.MIDNIGHT + 1_000_000_000);
    assertThat(limiter.tryAcquire("key")).isFalse();
    harness().setNanos(Harness.MIDNIGHT + 1_999_999_998);
    assertThat(limiter.tryAcquire("key")).as("a nanosecond before").isFalse();
  }

  /** An interval of 1⅔ µs, truncated to one, allowed two thirds more. */
  @Test
  default void fastRatesAreNotTruncated() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(600_000).perSecond().burst(10));
    long granted = 0;
    for (int micros = 0; micros < 10_000; micros++) {
      while (limiter.tryAcquire("key")) {
        granted++;
      }
      harness().advance(Duration.ofNanos(1000));
    }
    assertThat(granted).isBetween(6000L, 6009L);
  }

  /** Each accrual was cast to a whole number, so that slow rates never accrued anything. */
  @Test
  default void frequentChecksDoNotLoseFractions() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(7).perSecond().burst(1));
    long granted = 0;
    for (int millis = 0; millis <= 10_000; millis++) {
      granted += limiter.tryAcquire("key") ? 1 : 0;
      harness().advance(MILLI);
    }
    assertThat(granted).as("71 were due, less what a millisecond's delay costs each").isEqualTo(70);
  }

  /** Places snapped to a grid, so that two left a nanosecond apart. */
  @Test
  default void leakyBucketIsNotRoundedToAGrid() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.leakyBucket(10).perSecond().queue(5));
    harness().setNanos(Harness.MIDNIGHT + 99_000_000);
    assertThat(limiter.check("key").delay()).isZero();

    harness().setNanos(Harness.MIDNIGHT + 100_000_000);
    assertThat(limiter.check("key").delay()).isEqualTo(Duration.ofMillis(99));
  }

  /** An interval of zero nanoseconds failed at first use rather than when it was built. */
  @Test
  default void aRateThatCanBeBuiltCanBeUsed() {
    RateLimiter limiter = harness().limiter(Limit.leakyBucket(2_000_000_000).perSecond());
    assertThat(limiter.check("key").allowed()).isTrue();
    assertThat(limiter.check("key", 1_000_000).allowed()).isTrue();
  }

  /** Only the oldest entry's age was considered, whatever the cost. */
  @Test
  default void theWaitOfALogIsThatOfTheWholeCost() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.slidingLog(3).per(SECOND));
    for (int i = 0; i < 3; i++) {
      limiter.check("key");
      harness().advance(Duration.ofMillis(100));
    }
    assertThat(limiter.check("key", 1).retryAfter()).contains(Duration.ofMillis(700));
    assertThat(limiter.check("key", 3).retryAfter()).contains(Duration.ofMillis(900));
  }

  /** One refused request with a huge cost locked its key for months. */
  @Test
  default void hugeRefusedCostDoesNotBlockLaterRequests() {
    for (Limit limit : ConcurrencyTests.limits(10, SECOND)) {
      RateLimiter limiter = harness().limiter(limit);
      limiter.check("key", Long.MAX_VALUE);
      assertThat(limiter.check("key", 10).allowed()).as("%s", limit).isTrue();
    }
  }

  @Test
  default void refundsNeverInflate() {
    for (Limit limit : ConcurrencyTests.limits(10, SECOND)) {
      RateLimiter limiter = harness().limiter(limit);
      limiter.refund("key", Long.MAX_VALUE);
      limiter.check("key", 1);
      limiter.refund("key", 5);
      limiter.refund("key", Long.MAX_VALUE);
      assertThat(limiter.peek("key").remaining()).as("%s", limit).isEqualTo(10);
    }
  }

  @Test
  default void givingBackTwiceGivesBackOnce() {
    for (Limit limit : ConcurrencyTests.limits(10, Duration.ofHours(1))) {
      RateLimiter limiter = harness().limiter(limit);
      limiter.check("key", 5);
      Reservation reservation = limiter.reserve("key", 1, Duration.ofHours(1));
      reservation.cancel();
      reservation.cancel();
      reservation.settle(0);
      assertThat(limiter.peek("key").remaining()).as("%s", limit).isEqualTo(5);
    }
  }

  /** The earlier limits were charged although a later one refused. */
  @Test
  default void aLaterLimitThatRefusesCostsTheEarlierOnesNothing() {
    RateLimiter limiter =
        harness()
            .limiter(
                Limit.tokenBucket(100).perHour(),
                Limit.slidingLog(50).per(Duration.ofHours(1)),
                Limit.fixedWindow(2).per(Duration.ofHours(1)));
    limiter.check("key", 2);
    for (int i = 0; i < 10; i++) {
      limiter.check("key");
    }
    Decision decision = limiter.peek("key");
    assertThat(decision.standings().get(0).remaining()).isEqualTo(98);
    assertThat(decision.standings().get(1).remaining()).isEqualTo(48);
  }

  /** Two routes with different limits shared one bucket, because their keys were equal. */
  @Test
  default void limitersOfDifferentNamesShareNothing() {
    RateLimiter one = harness().limiter(Limit.tokenBucket(5).perHour());
    RateLimiter other = harness().limiter(Limit.tokenBucket(5).perHour());
    one.check("key", 5);
    assertThat(other.peek("key").remaining()).isEqualTo(5);
  }

  /** Lowering a limit while permits were left blocked it for ever, or erased a debt. */
  @Test
  default void aLimitIsLoweredAndRaisedInUse() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(10).perSecond());
    limiter.check("key", 1);
    limiter.reconfigure(Limit.tokenBucket(5).perSecond());
    assertThat(limiter.tryAcquire("key", 5)).as("one permit is missing").isFalse();
    assertThat(limiter.tryAcquire("key", 4)).isTrue();
    harness().advance(SECOND);
    assertThat(limiter.tryAcquire("key", 5)).isTrue();

    limiter.reconfigure(Limit.tokenBucket(10).perSecond());
    assertThat(limiter.tryAcquire("key")).as("a second of debt is a second of debt").isFalse();
    limiter.reconfigure(Limit.tokenBucket(5).perSecond());
    Duration wait = limiter.check("key").retryAfter().orElseThrow();
    assertThat(wait).as("no shorter than before").isGreaterThanOrEqualTo(Duration.ofMillis(200));
    harness().advance(wait.minus(MILLI));
    assertThat(limiter.tryAcquire("key")).isFalse();
    harness().advance(MILLI);
    assertThat(limiter.tryAcquire("key")).isTrue();
  }

  /** The accrued fraction was lost when the limit changed. */
  @Test
  default void aChangeOfLimitsKeepsFractions() {
    needs(Harness.Ability.MANUAL_TIME);
    RateLimiter limiter = harness().limiter(Limit.tokenBucket(1).per(SECOND));
    limiter.check("key");
    harness().advance(Duration.ofMillis(990));
    limiter.reconfigure(Limit.tokenBucket(1).per(SECOND).burst(2));
    limiter.reconfigure(Limit.tokenBucket(1).per(SECOND));
    assertThat(limiter.check("key").retryAfter()).contains(Duration.ofMillis(10));
  }

  /** A first time below zero refused everything. */
  @Test
  default void negativeTimesWork() {
    needs(Harness.Ability.MANUAL_TIME);
    needs(Harness.Ability.ANY_ORIGIN);
    for (long origin : new long[] {Long.MIN_VALUE, -1}) {
      for (Limit limit : ConcurrencyTests.limits(2, SECOND)) {
        harness().setNanos(origin);
        RateLimiter limiter = harness().limiter(limit);
        assertThat(limiter.tryAcquire("key", 2)).as("%s", limit).isTrue();
        assertThat(limiter.tryAcquire("key")).as("%s", limit).isFalse();
        harness().advance(Duration.ofSeconds(2));
        assertThat(limiter.tryAcquire("key", 2)).as("%s", limit).isTrue();
      }
    }
  }

  /** Beyond a number of keys all requests passed unchecked, or a live count was evicted. */
  @Test
  default void keysBeyondTheTableAreStillLimited() {
    needs(Harness.Ability.KEY_CAP);
    RateLimiter limiter =
        harness().builder().limit(Limit.tokenBucket(1).perHour()).maxKeys(100).build();
    for (int key = 0; key < 100; key++) {
      assertThat(limiter.tryAcquire("key-" + key)).isTrue();
    }
    long granted = 0;
    for (int key = 0; key < 1000; key++) {
      granted += limiter.tryAcquire("key-" + key % 100) ? 1 : 0;
      granted += limiter.tryAcquire("192.0.2." + key % 256) ? 1 : 0;
    }
    assertThat(granted).as("one, for all new keys of the network together").isEqualTo(1);
  }
}
