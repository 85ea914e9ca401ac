package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One charge on a user's limit and on a global limit. */
class AllOrNothingTest {
  private final ManualTime time = TimeSource.manual();
  private final RateLimiter user = limiter(Limit.tokenBucket(3).perMinute());
  private final RateLimiter global = limiter(Limit.slidingLog(4).perSecond());

  private RateLimiter limiter(Limit limit) {
    return limiter(Store.memory(), limit);
  }

  private RateLimiter limiter(Store store, Limit limit) {
    return RateLimiter.builder().limit(limit).time(time).store(store).build();
  }

  private Decision check(boolean async, Charge... charges) {
    return async
        ? AsyncRateLimiter.checkAll(charges).toCompletableFuture().join()
        : RateLimiter.checkAll(charges);
  }

  @ParameterizedTest(name = "async: {0}")
  @ValueSource(booleans = {false, true})
  void takesFromAll(boolean async) {
    Decision decision = check(async, Charge.of(user, "u"), Charge.of(global, "all", 2));
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.standings()).extracting(LimitStatus::remaining).containsExactly(2L, 2L);
    assertThat(user.peek("u").remaining()).isEqualTo(2);
    assertThat(global.peek("all").remaining()).isEqualTo(2);
  }

  @ParameterizedTest(name = "async: {0}")
  @ValueSource(booleans = {false, true})
  void takesFromNoneIfOneRefuses(boolean async) {
    global.tryAcquire("all", 3);
    Decision decision = check(async, Charge.of(user, "u"), Charge.of(global, "all", 2));
    assertThat(decision.allowed()).isFalse();
    assertThat(decision.limit()).isEqualTo(Limit.slidingLog(4).perSecond());
    assertThat(decision.retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(user.peek("u").remaining()).isEqualTo(3);
    assertThat(global.peek("all").remaining()).isEqualTo(1);
  }

  @Test
  void twoChargesOnOneKeyAreNotGrantedTheSamePermit() {
    user.tryAcquire("u", 2);
    Decision decision = RateLimiter.checkAll(Charge.of(user, "u"), Charge.of(user, "u"));
    assertThat(decision.allowed()).isFalse();
    assertThat(user.peek("u").remaining()).as("given back").isEqualTo(1);
  }

  @Test
  void aRefusalIsCountedWhereRefusalsCount() {
    RateLimiter counting = limiter(Limit.slidingLog(5).perMinute().countingRejected());
    global.tryAcquire("all", 4);
    assertThat(
            RateLimiter.checkAll(Charge.of(counting, "u", 2), Charge.of(global, "all")).allowed())
        .isFalse();
    assertThat(counting.peek("u").remaining()).isEqualTo(3);
    assertThat(
            RateLimiter.checkAll(Charge.of(counting, "u", 2), Charge.of(global, "all", 5))
                .neverFits())
        .isTrue();
    assertThat(counting.peek("u").remaining()).as("never fits: not counted").isEqualTo(3);
  }

  @Test
  void theWaitIsThatAfterTheRefusalWasCounted() {
    RateLimiter counting = limiter(Limit.slidingLog(1).perMinute().countingRejected());
    counting.tryAcquire("u");
    time.advance(Duration.ofSeconds(30));
    Charge[] charges = {Charge.of(user, "u"), Charge.of(counting, "u")};
    assertThat(RateLimiter.checkAll(charges).retryAfter()).contains(Duration.ofMinutes(1));
    time.advance(Duration.ofMinutes(1));
    assertThat(RateLimiter.checkAll(charges).allowed()).isTrue();
  }

  @Test
  void countsRefusalOnceWhenConcurrentRequestWasFaster() {
    Store late = limiterSpec -> new Rival(Store.memory().open(limiterSpec));
    RateLimiter contested = limiter(late, Limit.slidingLog(10).perMinute().countingRejected());
    contested.tryAcquire("all", 3);
    time.advance(Duration.ofSeconds(30));
    assertThat(RateLimiter.checkAll(Charge.of(user, "u"), Charge.of(contested, "all", 3)).allowed())
        .isFalse();
    time.advance(Duration.ofSeconds(30));
    assertThat(contested.peek("all").remaining()).as("3 of the rival, 3 refused").isEqualTo(4);
  }

  @Test
  void refundsFirstChargeWhenSecondWasTakenConcurrently() {
    Store late = limiterSpec -> new Rival(Store.memory().open(limiterSpec));
    RateLimiter contested = limiter(late, Limit.slidingLog(1).perMinute());
    Decision decision = RateLimiter.checkAll(Charge.of(user, "u", 2), Charge.of(contested, "all"));
    assertThat(decision.allowed()).isFalse();
    assertThat(decision.retryAfter()).contains(Duration.ofMinutes(1));
    assertThat(user.peek("u").remaining()).isEqualTo(3);
  }

  /** A window ends between the check and the read of the status. */
  @Test
  void retakesPermitsThatBecameFree() {
    AtomicInteger reads = new AtomicInteger();
    RateLimiter ending =
        RateLimiter.builder()
            .limit(Limit.fixedWindow(1).perMinute())
            .time(() -> reads.getAndIncrement() < 2 ? 0 : 60_000_000_000L)
            .build();
    ending.tryAcquire("all");
    Receipts receipts =
        RateLimiter.takeAll(List.of(Charge.of(user, "u"), Charge.of(ending, "all")));
    assertThat(receipts.areGranted()).isTrue();
    assertThat(receipts.together().allowed()).isTrue();
    assertThat(ending.peek("all").remaining()).isZero();
  }

  @ParameterizedTest(name = "async: {0}")
  @ValueSource(booleans = {false, true})
  void anyNumberOfChargesIsMadeTogether(boolean async) {
    RateLimiter large = limiter(Limit.tokenBucket(20_000).perMinute());
    Charge[] charges = new Charge[20_000];
    Arrays.fill(charges, Charge.of(large, "k"));
    assertThat(check(async, charges).allowed()).isTrue();
    assertThat(large.peek("k").remaining()).isZero();
    time.advance(Duration.ofSeconds(59));
    assertThat(check(async, charges).allowed()).isFalse();
    assertThat(large.peek("k").remaining()).as("given back").isEqualTo(19_666);
  }

  @ParameterizedTest(name = "async: {0}")
  @ValueSource(booleans = {false, true})
  void aFailureOfTheSecondChargeGivesTheFirstBack(boolean async) {
    AtomicInteger reads = new AtomicInteger();
    TimeSource broken =
        () -> {
          if (reads.getAndIncrement() > 0) {
            throw new IllegalStateException("the clock is broken");
          }
          return 0;
        };
    RateLimiter failing =
        RateLimiter.builder().limit(Limit.tokenBucket(1).perMinute()).time(broken).build();
    assertThatThrownBy(() -> check(async, Charge.of(user, "u", 2), Charge.of(failing, "all")))
        .isInstanceOf(async ? CompletionException.class : IllegalStateException.class)
        .hasMessageContaining("the clock is broken");
    assertThat(user.peek("u").remaining()).isEqualTo(3);
  }

  @Test
  void noChargesAreRefused() {
    assertThatThrownBy(() -> RateLimiter.checkAll())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("charges must not be empty");
  }

  @Test
  void oneChargeDecidesLikeACheck() {
    assertThat(RateLimiter.checkAll(Charge.of(user, "u", 2)))
        .isEqualTo(limiter(Limit.tokenBucket(3).perMinute()).check("x", 2));
    assertThat(RateLimiter.checkAll(Charge.of(user, "u", 0)).allowed()).isTrue();
  }

  /**
   * A store in which a concurrent request always takes permits between the check and the charge.
   */
  private static final class Rival extends ForwardingBuckets {
    Rival(Buckets buckets) {
      super(buckets);
    }

    @Override
    public Receipt take(String key, long cost) {
      buckets.tryAcquire(key, cost);
      return buckets.take(key, cost);
    }

    @Override
    public CompletionStage<Receipt> takeAsync(String key, long cost) {
      return CompletableFuture.completedStage(take(key, cost));
    }
  }

  @Test
  void storeWithItsOwnTimeRejectsGivenTimes() {
    Store rival = limiterSpec -> new Rival(Store.memory().open(limiterSpec));
    RateLimiter limiter = limiter(rival, Limit.slidingLog(1).perMinute());
    assertThatThrownBy(() -> limiter.allow("a", 0))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("this store decides by its own clock only");
    assertThat(limiter.tryAcquire("a")).as("the rival was first").isFalse();
    assertThat(limiter.async().check("b").toCompletableFuture().join().allowed()).isFalse();
  }
}
