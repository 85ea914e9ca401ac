package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real Redis that goes and comes back, and nodes that decide by themselves. */
@Timeout(120)
class EventualOutageTest {
  private final RedisProcess redis = RedisProcess.start();
  private final RedisStore store =
      RedisStore.open(RedisSettings.parse(redis.url() + "?timeout=50ms&sync=10ms"));
  private final RateLimiter limiter = limiter(Consistency.EVENTUAL);

  private RateLimiter limiter(Consistency consistency) {
    return RateLimiter.builder()
        .name("outage")
        .limit(Limit.slidingLog(1000).perDay())
        .store(store)
        .onFailure(OnFailure.DENY)
        .consistency(consistency)
        .build();
  }

  @AfterEach
  void close() {
    store.close();
    redis.close();
  }

  private void checkUntil(Origin origin) {
    int[] checks = {0};
    Await.holds("decided by " + origin, () -> limiter.check("k" + checks[0]++).origin() == origin);
  }

  @Test
  void failurePolicyDecidesWhileSyncFails() {
    checkUntil(Origin.MEMORY);
    redis.kill();
    checkUntil(Origin.FAILURE);
    Decision decision = limiter.check("key");
    assertThat(decision.allowed()).isFalse();
    redis.startAgain();
    checkUntil(Origin.MEMORY);
  }

  /** Redis replies, but nodes cannot exchange grants: also for keys without earlier checks. */
  @Test
  void whileRedisHasNoMemoryTheFailurePolicyDecides() {
    checkUntil(Origin.MEMORY);
    redis.call("CONFIG", "SET", "maxmemory", "1");
    int[] checks = {0};
    Await.holds(
        "noticed",
        () -> {
          limiter.check("full" + checks[0]++);
          return store.status().shards().get(0).state() == RedisStatus.State.DEGRADED;
        });
    assertThat(limiter.check("new").origin()).isEqualTo(Origin.FAILURE);
    assertThat(limiter.check("l" + "o".repeat(2000) + "ng").allowed()).isFalse();
    redis.call("CONFIG", "SET", "maxmemory", "0");
    checkUntil(Origin.MEMORY);
  }

  /** What is untold when Redis goes is told when it is back, at least once. */
  @Test
  void nothingThatWasGrantedIsForgotten() {
    checkUntil(Origin.MEMORY);
    redis.suspend();
    long granted = 0;
    while (granted < 10 && limiter.tryAcquire("key")) {
      granted++;
    }
    redis.kill();
    redis.startAgainEmpty();
    long reported = granted;
    RateLimiter exact = limiter(Consistency.EXACT);
    Await.holds(
        "all is reported",
        () -> {
          Decision decision = exact.peek("key");
          return decision.origin() == Origin.STORE && 1000 - decision.remaining() >= reported;
        });
  }
}
