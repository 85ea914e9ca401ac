package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for a turn, and giving up on it. */
@Timeout(60)
class AcquireTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Limit... limits) {
    return TestLimiters.of(time, limits);
  }

  @Test
  void acquireIsAtOnceFalseWhenHopeless() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    assertThat(limiter.acquire("a", LONG)).isTrue();
    long start = System.nanoTime();
    assertThat(limiter.acquire("a", Duration.ofSeconds(59))).isFalse();
    assertThat(limiter.acquire("a", Duration.ZERO)).isFalse();
    assertThat(limiter.acquire("a", 2, LONG)).as("never fits").isFalse();
    assertThat(System.nanoTime() - start).isLessThan(30_000_000_000L);
    time.advance(Duration.ofMinutes(1));
    assertThat(limiter.acquire("a", Duration.ZERO)).as("nothing was taken").isTrue();
  }

  @Test
  void acquireIsHopelessWhereTheTurnIsTooFarAway() throws Exception {
    RateLimiter limiter = limiter(Limit.leakyBucket(1).perMinute().queue(5));
    assertThat(limiter.tryAcquire("a", 3)).isTrue();
    assertThat(limiter.acquire("a", Duration.ofMillis(1))).isFalse();
    assertThat(limiter.peek("a").delay()).isEqualTo(Duration.ofMinutes(3));
  }

  @Test
  void acquireWithExactlyTheWaitIsGranted() throws Exception {
    RateLimiter limiter = limiter(Limit.slidingLog(1).per(Duration.ofMillis(20)));
    assertThat(limiter.tryAcquire("a")).isTrue();
    assertThat(limiter.acquire("a", limiter.peek("a").retryAfter().orElseThrow())).isTrue();
  }

  @Test
  void acquireWaitsForItsTurn() throws Exception {
    RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(1).per(Duration.ofMillis(50)));
    long start = System.nanoTime();
    for (int i = 0; i < 3; i++) { // each takes what the next has to wait for
      assertThat(limiter.acquire("a", Duration.ofSeconds(30))).isTrue();
    }
    assertThat(System.nanoTime() - start).isGreaterThan(95_000_000);
  }

  @Test
  void anInterruptedWaitGivesBack() throws Exception {
    RateLimiter limiter = limiter(Limit.tokenBucket(1).perMinute());
    assertThat(limiter.tryAcquire("a")).isTrue();
    Duration before = limiter.peek("a").retryAfter().orElseThrow();

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> limiter.acquire("a", LONG)).isInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).isFalse();
    assertThat(limiter.peek("a").retryAfter()).contains(before);
  }

  @Test
  void aWaitThatIsInterruptedLaterGivesBackToo() throws Exception {
    RateLimiter limiter = limiter(Limit.slidingLog(1).perMinute());
    assertThat(limiter.tryAcquire("a")).isTrue();
    Duration before = limiter.peek("a").resetAfter();
    boolean[] interrupted = new boolean[1];
    Thread waiter =
        new Thread(
            () -> {
              try {
                limiter.acquire("a", LONG);
              } catch (InterruptedException e) {
                interrupted[0] = true;
              }
            });
    waiter.start();
    while (waiter.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(limiter.peek("a").retryAfter()).as("its place").contains(Duration.ofMinutes(2));
    waiter.interrupt();
    waiter.join();
    assertThat(interrupted[0]).isTrue();
    assertThat(limiter.peek("a").retryAfter()).contains(before);
  }
}
