package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The hot path allocates nothing: measured by the bytes that this thread has got from the heap. */
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CALLS = 20_000;

  /** Less than any object has: other threads may allocate during a round. */
  private static final double NOTHING = 0.05;

  /**
   * The fewest bytes a call over several rounds: compilation goes on in between, and is slow on a
   * busy machine.
   */
  private static double bytesPerCall(IntConsumer call, Duration timeout) {
    double fewest = Double.MAX_VALUE;
    long start = System.nanoTime();
    for (int round = 0;
        round < 20 || (fewest >= NOTHING && System.nanoTime() - start < timeout.toNanos());
        round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        call.accept(i);
      }
      long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
      fewest = Math.min(fewest, (double) bytes / CALLS);
    }
    return fewest;
  }

  static Stream<Limit> limits(long permits) {
    return Stream.of(
        Limit.tokenBucket(permits).perHour(),
        Limit.tokenBucket(2_147_483_647).perHour().burst(permits), // two words
        Limit.leakyBucket(permits).perHour(),
        Limit.fixedWindow(permits).perHour(),
        Limit.slidingWindow(permits).perHour(),
        Limit.slidingEpochs(permits).perHour(),
        Limit.slidingLog(permits).perHour());
  }

  static Stream<Limit> many() {
    return limits(100_000_000);
  }

  static Stream<Limit> few() {
    return limits(5);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("many")
  void anAllowedTryAcquireAllocatesNothing(Limit limit) {
    assertThat(bytesPerTryAcquire(limit, true)).isLessThan(NOTHING);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("few")
  void aRefusedTryAcquireAllocatesNothing(Limit limit) {
    assertThat(bytesPerTryAcquire(limit, false)).isLessThan(NOTHING);
  }

  private static double bytesPerTryAcquire(Limit limit, boolean allowed) {
    String[] keys = new String[64];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "key-" + i;
    }
    RateLimiter limiter = RateLimiter.builder().limit(limit).time(TimeSource.manual()).build();
    double bytes = bytesPerCall(i -> limiter.tryAcquire(keys[i & 63]), Duration.ofSeconds(20));
    assertThat(limiter.tryAcquire(keys[0])).isEqualTo(allowed);
    return bytes;
  }

  @Test
  void theMeasureSeesWhatCheckAllocates() {
    RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(5).perSecond());
    assertThat(bytesPerCall(i -> limiter.check("key"), Duration.ZERO)).isGreaterThan(16);
  }
}
