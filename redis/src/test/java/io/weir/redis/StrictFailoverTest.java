package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RedisReplicas;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a failover costs strict limiters besides what Sentinel takes. */
@Tag("slow")
@Timeout(180)
class StrictFailoverTest {
  private static final Duration WINDOW = Duration.ofSeconds(1);

  /** Under two seconds where nothing else runs; not eight, as Sentinel, even on a busy machine. */
  private static final Duration MAX_PAUSE = Duration.ofSeconds(15);

  @Test
  void grantsSoonAfterThePrimaryIsNamedAndItsReplicaIsThere() throws Exception {
    try (RedisReplicas replicas = RedisReplicas.start(RedisProgram.chosen(), 1);
        RedisStore store =
            RedisStore.open(replicas.url().replace("#", "?timeout=1s&replicas=1#"))) {
      AtomicInteger users = new AtomicInteger();
      RateLimiter limiter =
          RateLimiter.builder()
              .name("failover")
              .limit(Limit.slidingLog(3).per(WINDOW))
              .consistency(Consistency.STRICT)
              .onFailure(OnFailure.DENY)
              .store(store)
              .build();
      Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));

      RedisProcess first = replicas.primary();
      first.kill();
      RedisProcess second = replicas.failOver(first);
      assertThat(limiter.tryAcquire("user")).as("without its replica").isFalse();
      first.startAgain();
      first.call("REPLICAOF", "127.0.0.1", Integer.toString(second.port())); // Sentinel would, late
      Await.holds(
          "the replica is there",
          () -> second.info("replication").toString().contains("state=online"));

      long ready = System.nanoTime();
      Await.holds("it grants again", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
      assertThat(Duration.ofNanos(System.nanoTime() - ready)).isLessThan(MAX_PAUSE);
    }
  }
}
