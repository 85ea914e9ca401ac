package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.rig.SharedRedis;
import io.weir.tck.Harness;
import io.weir.tck.model.Answer;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ReferenceLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Two nodes with two rule files at the same time: each asks by its own limits for the same buckets,
 * which go from one to the other and back. Every answer is the model's.
 */
@Tag("slow")
class RollingDeployTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static List<List<Limit>> changes() {
    return List.of(
        List.of(Limit.tokenBucket(10).perSecond(), Limit.tokenBucket(5).perSecond()),
        List.of(Limit.tokenBucket(7).per(SECOND).burst(3), Limit.tokenBucket(3).per(SECOND)),
        List.of(
            Limit.tokenBucket(5000).perSecond().burst(4), // counts in microseconds
            Limit.tokenBucket(10).perSecond().burst(4)),
        List.of(
            Limit.leakyBucket(10).per(SECOND).queue(9), Limit.leakyBucket(3).per(SECOND).queue(2)),
        List.of(Limit.fixedWindow(10).per(SECOND), Limit.fixedWindow(4).per(SECOND)),
        List.of(Limit.fixedWindow(10).perDay(), Limit.fixedWindow(4).perDay()),
        List.of(Limit.slidingWindow(10).per(SECOND), Limit.slidingWindow(4).per(SECOND)),
        List.of(
            Limit.slidingEpochs(10).per(SECOND).epochs(4),
            Limit.slidingEpochs(4).per(SECOND).epochs(4).countingRejected()),
        List.of(
            Limit.slidingLog(10).per(SECOND), Limit.slidingLog(4).per(SECOND).countingRejected()),
        List.of(Limit.slidingLog(3).per(SECOND), Limit.slidingLog(30).per(SECOND)));
  }

  @TestFactory
  Stream<DynamicTest> oldAndNewLimitsShareTheirBuckets() {
    return changes().stream()
        .map(
            pair ->
                DynamicTest.dynamicTest(
                    pair.get(0) + " and " + pair.get(1),
                    () -> {
                      for (long seed = 0; seed < 5; seed++) {
                        share(pair, seed);
                      }
                    }));
  }

  private static void share(List<Limit> limits, long seed) {
    ManualTime time = TimeSource.manual().setNanos(Harness.MIDNIGHT);
    RedisSettings settings =
        RedisSuite.patient(SharedRedis.empty().url()).withRefusalMemory(Duration.ZERO);
    try (RedisStore oldNode = RedisStore.open(settings, Clock.given(time));
        RedisStore newNode = RedisStore.open(settings, Clock.given(time))) {
      List<RateLimiter> nodes =
          List.of(limiter(oldNode, limits.get(0)), limiter(newNode, limits.get(1)));
      ReferenceLimiter model =
          new ReferenceLimiter(limits.subList(0, 1), ReferenceLimiter.Takeover.WHEN_ASKED_FOR);
      SplittableRandom random = new SplittableRandom(seed);
      List<String> story = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        time.advance(Duration.ofNanos(1000L * random.nextInt(random.nextBoolean() ? 1 : 400_000)));
        Fraction now = ReferenceLimiter.nanos(time.epochNanos());
        int node = random.nextInt(2);
        long cost = random.nextInt(6) == 0 ? 3 : 1;
        boolean peeks = random.nextInt(5) == 0;
        story.add((peeks ? "peek " : "check ") + cost + " by " + limits.get(node) + " at " + now);
        RateLimiter limiter = nodes.get(node);
        model.reconfigure(limits.subList(node, node + 1), now);
        Answer expected = peeks ? model.peek("key", cost, now) : model.check("key", cost, now);
        Answer actual = Answer.of(peeks ? limiter.peek("key", cost) : limiter.check("key", cost));
        assertThat(actual).as("seed %d:\n%s", seed, String.join("\n", story)).isEqualTo(expected);
      }
    }
  }

  private static RateLimiter limiter(RedisStore store, Limit limit) {
    return RateLimiter.builder().store(store).name("deploy").limit(limit).build();
  }
}
