package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The hot path allocates nothing: measured by the bytes that this thread has got from the heap. */
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int CALLS = 20_000;

  /** The least bytes a call over several rounds: compilation goes on in between. */
  private static double bytesPerCall(IntConsumer call) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        call.accept(i);
      }
      long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = Math.min(least, (double) bytes / CALLS);
    }
    return least;
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
    assertThat(bytesPerTryAcquire(limit, true)).isLessThan(0.05);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("few")
  void aRefusedTryAcquireAllocatesNothing(Limit limit) {
    assertThat(bytesPerTryAcquire(limit, false)).isLessThan(0.05);
  }

  private static double bytesPerTryAcquire(Limit limit, boolean allowed) {
    String[] keys = new String[64];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "key-" + i;
    }
    RateLimiter limiter = RateLimiter.builder().limit(limit).time(TimeSource.manual()).build();
    double bytes = bytesPerCall(i -> limiter.tryAcquire(keys[i & 63]));
    assertThat(limiter.tryAcquire(keys[0])).isEqualTo(allowed);
    return bytes;
  }

  @Test
  void theMeasureSeesWhatCheckAllocates() {
    RateLimiter limiter = RateLimiter.of(Limit.tokenBucket(5).perSecond());
    assertThat(bytesPerCall(i -> limiter.check("key"))).isGreaterThan(16);
  }
}
