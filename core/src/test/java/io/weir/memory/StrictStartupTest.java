package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process that has just started does not know what was granted before. */
class StrictStartupTest {
  private static final Limit LOG = Limit.slidingLog(3).perMinute();

  private final ManualTime time = TimeSource.manual();

  private RateLimiter strict(Limit... limits) {
    RateLimiter.Builder builder = RateLimiter.builder().consistency(Consistency.STRICT).time(time);
    List.of(limits).forEach(builder::limit);
    return builder.build();
  }

  static Stream<Limit> limits() {
    return Stream.of(
        LOG,
        Limit.tokenBucket(3).perMinute(),
        Limit.tokenBucket(60).perMinute().burst(7),
        Limit.fixedWindow(3).perMinute(),
        Limit.fixedWindow(3).perMonth(),
        Limit.slidingWindow(3).perMinute(),
        Limit.slidingEpochs(3).perMinute());
  }

  @ParameterizedTest
  @MethodSource("limits")
  void nothingIsGrantedUntilNothingCountsOfBefore(Limit limit) {
    RateLimiter before = RateLimiter.builder().limit(limit).time(time).build();
    assertThat(before.tryAcquire("a", limit.capacity())).isTrue();
    RateLimiter limiter = strict(limit);
    time.advance(limit.memory());
    assertThat(limiter.tryAcquire("a")).isFalse();
    assertThat(limiter.check("a").origin()).isEqualTo(Origin.FAILURE);
    assertThat(limiter.peek("a").allowed()).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(limiter.check("a").origin()).isEqualTo(Origin.MEMORY);
    assertThat(limiter.tryAcquire("a", limit.capacity() - 1)).isTrue();
    assertThat(before.peek("a", limit.capacity()).allowed()).as("all of it is over").isTrue();
  }

  @Test
  void refusalHasTheRemainingWait() {
    RateLimiter limiter = strict(LOG, Limit.slidingLog(9).perHour());
    time.advance(Duration.ofMinutes(59));
    Decision refusal = limiter.check("a");
    assertThat(refusal.allowed()).isFalse();
    time.advance(refusal.retryAfter().orElseThrow().minusMillis(1));
    assertThat(limiter.tryAcquire("a")).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  @Test
  void reservationsWaitTooAndCanBeCancelled() {
    RateLimiter limiter = strict(LOG);
    Reservation refused = limiter.reserve("a", 3, Duration.ofHours(1));
    assertThat(refused.granted()).isFalse();
    refused.cancel();
    time.advance(Duration.ofMinutes(2));
    assertThat(limiter.reserve("a", 3, Duration.ofHours(1)).granted()).isTrue();
    assertThat(limiter.reserve("a", 1, Duration.ofHours(1)).granted()).as("for later").isFalse();
  }

  /** Limiters of rules are opened when they are needed. */
  @Test
  void waitBeginsWithTheStoreNotTheLimiter() throws Exception {
    Store store = Store.memory();
    Limit brief = Limit.slidingLog(1).per(Duration.ofMillis(20));
    Thread.sleep(30);
    RateLimiter limiter =
        RateLimiter.builder().limit(brief).consistency(Consistency.STRICT).store(store).build();
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  /** No limiter has to start fresh: what was granted so far is known. */
  @Test
  void whatBecomesStrictGoesOn() {
    RateLimiter limiter =
        RateLimiter.builder().limit(LOG).time(time).onFailure(OnFailure.DENY).build();
    assertThat(limiter.tryAcquire("a", 2)).isTrue();
    limiter.beginReconfigure(List.of(LOG), OnFailure.DENY, Consistency.STRICT).run();
    assertThat(limiter.check("a").remaining()).isZero();
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @Test
  void limiterThatIsNoLongerStrictGrantsAtOnce() {
    RateLimiter limiter = strict(LOG);
    assertThat(limiter.tryAcquire("a")).isFalse();
    limiter.beginReconfigure(List.of(LOG), OnFailure.DENY, Consistency.EXACT).run();
    assertThat(limiter.tryAcquire("a")).isTrue();
  }

  /** A recording has nothing before it. */
  @Test
  void recordingsAreNotRefused() {
    RateLimiter limiter =
        RateLimiter.builder()
            .limit(LOG)
            .consistency(Consistency.STRICT)
            .time(TimeSource.recorded())
            .build();
    assertThat(limiter.checkAt("a", 1, 1_000).allowed()).isTrue();
  }
}
