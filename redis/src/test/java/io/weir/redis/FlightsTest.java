package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.redis.rig.RedisProcess;
import io.weir.redis.rig.SharedRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that are made at the same time share calls, and are decided as if they had not. */
class FlightsTest {
  private final ManualTime time =
      TimeSource.manual().set(Instant.parse("2026-11-15T12:00:00.123456Z"));
  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void open() {
    redis = SharedRedis.empty();
    store = RedisStore.open(RedisSettings.parse(redis.url() + "?timeout=5s"), Clock.given(time));
  }

  @AfterEach
  void close() {
    store.close();
  }

  static List<Limit> limits() {
    Duration minute = Duration.ofMinutes(1);
    return List.of(
        Limit.tokenBucket(100).per(minute),
        Limit.leakyBucket(100).per(minute).queue(99),
        Limit.fixedWindow(100).per(minute),
        Limit.slidingWindow(100).per(minute),
        Limit.slidingEpochs(100).per(minute),
        Limit.slidingLog(100).per(minute));
  }

  /** Each of those who pass sees one permit less than the one before, and no two see the same. */
  @ParameterizedTest
  @MethodSource("limits")
  void theFirstPassAndEachLeavesLess(Limit limit) {
    RateLimiter limiter = RateLimiter.builder().name("flights").limit(limit).store(store).build();
    List<CompletionStage<Decision>> asked = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      asked.add(limiter.async().check("key"));
    }
    List<Decision> decisions =
        asked.stream()
            .map(CompletionStage::toCompletableFuture)
            .map(CompletableFuture::join)
            .toList();

    System.out.println(store.status());
    assertThat(decisions.subList(100, 1000))
        .extracting(Decision::origin)
        .doesNotContain(Origin.FAILURE);
    assertThat(decisions.stream().filter(Decision::allowed).map(Decision::remaining))
        .containsExactlyElementsOf(LongStream.range(0, 100).map(i -> 99 - i).boxed().toList());
    assertThat(decisions.subList(100, 1000)).noneMatch(Decision::allowed);
    assertThat(store.status().calls()).isLessThan(100);
  }

  @Test
  void whatIsRefusedHereIsWhatRedisWouldSay() {
    for (Limit limit : limits()) {
      RateLimiter limiter = RateLimiter.builder().name("refused").limit(limit).store(store).build();
      limiter.check("key", 100);
      long calls = store.status().calls();
      Decision first = limiter.check("key", 2);
      assertThat(store.status().calls()).isEqualTo(calls + 1);
      time.advance(Duration.ofNanos(700_300_000));
      Decision known = limiter.check("key", 2);
      System.out.println(first + " " + known);
    }
  }
}
