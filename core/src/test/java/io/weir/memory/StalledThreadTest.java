package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread reads its clock, is held up, and goes on long after: what others were granted meanwhile
 * lies far in its future, though no clock has gone back.
 */
class StalledThreadTest {
  private static final long START = 1_790_000_000_000_000_000L;
  private static final long LATER = START + Duration.ofSeconds(5).toNanos();

  private final LateClock time = new LateClock();

  /** A clock that returns an old time to one thread, and the present to all others. */
  private static final class LateClock implements TimeSource {
    private long now = LATER;
    private boolean isLate;

    @Override
    public long epochNanos() {
      long nanos = isLate ? START : now;
      isLate = false;
      return nanos;
    }
  }

  static Stream<Limit> limits() {
    return Stream.of(
        Limit.tokenBucket(1000).perSecond().burst(10),
        Limit.tokenBucket(1_000_000).perSecond().burst(10),
        Limit.fixedWindow(10).perSecond(),
        Limit.slidingWindow(10).perSecond(),
        Limit.slidingEpochs(10).perSecond(),
        Limit.slidingLog(10).perSecond());
  }

  private RateLimiter spent(Limit... limits) {
    RateLimiter.Builder builder = RateLimiter.builder().time(time).maxKeys(1);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    RateLimiter limiter = builder.build();
    assertThat(limiter.tryAcquire("a", 10)).isTrue();
    return limiter;
  }

  private void atAnOldTime(Runnable operation) {
    time.isLate = true;
    operation.run();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void whatWasGrantedStaysGranted(Limit limit) {
    RateLimiter limiter = spent(limit);
    atAnOldTime(() -> assertThat(limiter.tryAcquire("a")).isFalse());
    atAnOldTime(() -> assertThat(limiter.check("a").allowed()).isFalse());
    atAnOldTime(() -> limiter.refund("a", 0));
    assertThat(limiter.tryAcquire("a")).isFalse();
    assertThat(limiter.check("a").allowed()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void keepsGrantsOfSeveralLimits(Limit limit) {
    RateLimiter limiter = spent(limit, Limit.slidingLog(100).perHour());
    atAnOldTime(() -> assertThat(limiter.tryAcquire("a")).isFalse());
    atAnOldTime(() -> assertThat(limiter.check("a").allowed()).isFalse());
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void keepsGrantsInTheOverflowBucket(Limit limit) {
    RateLimiter limiter = spent(limit);
    assertThat(limiter.tryAcquire("192.0.2.1", 10)).isTrue();
    atAnOldTime(() -> assertThat(limiter.tryAcquire("192.0.2.2")).isFalse());
    atAnOldTime(() -> assertThat(limiter.check("192.0.2.3").allowed()).isFalse());
    assertThat(limiter.tryAcquire("192.0.2.4")).isFalse();
  }

  /** A clock that has really gone back freezes no key. */
  @ParameterizedTest
  @MethodSource("limits")
  void aClockThatGoesBackIsFollowed(Limit limit) {
    RateLimiter limiter = spent(limit);
    time.now = START;
    assertThat(limiter.tryAcquire("a")).isFalse();
    time.now = START + Duration.ofMillis(2500).toNanos();
    assertThat(limiter.tryAcquire("a")).isTrue();
  }
}
