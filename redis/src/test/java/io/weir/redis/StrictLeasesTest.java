package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Leases that are released when all replicas have them, on a real primary and a real replica. */
@Tag("slow")
@Timeout(120)
class StrictLeasesTest extends ReplicatedSuite {
  private static final Limit LIMIT = Limit.slidingLog(400).per(Duration.ofSeconds(2));

  private RedisStore store(RedisProcess redis, String parameters) {
    return opened(RedisStore.open(redis.url() + "?connect_timeout=10s&timeout=1s" + parameters));
  }

  private static RateLimiter leased(RedisStore store, OnFailure policy) {
    return leased(store, policy, LIMIT);
  }

  private static RateLimiter leased(RedisStore store, OnFailure policy, Limit limit) {
    return RateLimiter.builder()
        .name("a")
        .limit(limit)
        .consistency(Consistency.LEASED)
        .onFailure(policy)
        .store(store)
        .build();
  }

  /** What is granted by a lease, sooner or later. */
  private static Decision byLease(RateLimiter limiter, String key) {
    Decision[] found = new Decision[1];
    Await.holds(
        "something is leased",
        () -> {
          for (int i = 0; i < 50; i++) {
            found[0] = limiter.check(key);
            if (found[0].origin() == Origin.LEASE) {
              return true;
            }
          }
          return false;
        });
    return found[0];
  }

  @Test
  void nothingIsLeasedThatAReplicaLacks() {
    RedisProcess primary = primary();
    RedisProcess replica = replicaOf(primary);
    RedisStore store = store(primary, "&replicas=1");
    RateLimiter limiter = leased(store, OnFailure.DENY);
    assertThat(limiter.check("early").origin()).as("too young").isEqualTo(Origin.FAILURE);
    assertThat(byLease(limiter, "a").allowed()).isTrue();
    assertThat(primary.calls("wait")).isPositive();
    replica.suspend();
    Await.holds(
        "what was leased is spent, and nothing else is granted",
        () ->
            limiter.check("a").origin() == Origin.FAILURE
                && store
                    .status()
                    .shards()
                    .toString()
                    .contains("0 of 1 replicas have acknowledged the charge"));
    for (int i = 0; i < 20; i++) {
      assertThat(limiter.tryAcquire("a")).isFalse();
      assertThat(limiter.tryAcquire("user" + i)).isFalse();
    }
    replica.resume();
    byLease(limiter, "b");
  }

  @ParameterizedTest
  @CsvSource({"'', DENY", "'&replicas=0', ALLOW", "'&replicas=0', LOCAL"})
  void leasesAsBeforeWithoutReplicasOrWithFailOpen(String parameters, OnFailure policy) {
    RedisProcess redis = primary();
    RateLimiter limiter = leased(store(redis, parameters), policy);
    assertThat(limiter.check("a").origin()).isEqualTo(Origin.STORE);
    byLease(limiter, "a");
    assertThat(redis.call("EXISTS", "weir:era")).as("no node has read the mark").isEqualTo(0L);
  }

  enum Loss {
    FLUSH,
    RESTART_EMPTY
  }

  /**
   * One node holds a lease while all is forgotten, and spends it as late as it can; both want all
   * as soon as there is any again. A lease is longer here than what charges count later by anyway.
   */
  @ParameterizedTest
  @EnumSource
  void whatIsLeasedCountsEvenIfItIsLost(Loss loss) {
    RedisProcess redis = primary();
    int permits = 400;
    Duration period = Duration.ofSeconds(5);
    Limit limit = Limit.slidingLog(permits).per(period);
    RateLimiter first = leased(store(redis, "&replicas=0"), OnFailure.DENY, limit);
    RateLimiter second = leased(store(redis, "&replicas=0"), OnFailure.DENY, limit);
    byLease(first, "b");
    byLease(second, "b");
    Uses uses = new Uses(period);
    Await.holds("a lease has just begun", () -> uses.add(first, 60) == Origin.LEASE);
    switch (loss) {
      case FLUSH -> redis.flush();
      case RESTART_EMPTY -> redis.restartEmpty();
    }
    long lost = System.nanoTime();
    Await.holds(
        "all is granted again",
        () -> {
          long since = System.nanoTime() - lost;
          if (since > Duration.ofMillis(350).toNanos()) {
            uses.add(first, permits);
          }
          return uses.add(second, permits) != Origin.FAILURE && since > period.toNanos();
        });
    assertThat(uses.max).isBetween(permits / 2, permits);
  }

  /** As in a rolling deploy. */
  @Test
  void nodesWithDifferentLimitsGrantNoMoreThanTheLargest() {
    RedisProcess redis = primary();
    Duration period = Duration.ofSeconds(2);
    Limit smallLimit = Limit.slidingLog(100).per(period);
    RateLimiter large = leased(store(redis, "&replicas=0"), OnFailure.DENY, LIMIT);
    RateLimiter small = leased(store(redis, "&replicas=0"), OnFailure.DENY, smallLimit);
    byLease(large, "b");
    byLease(small, "c");
    Uses uses = new Uses(period);
    long start = System.nanoTime();
    while (System.nanoTime() - start < 2 * period.toNanos()) {
      uses.add(large, 20);
      uses.add(small, 20);
    }
    assertThat(uses.max).isBetween(200, 400);
  }

  /** The yeses of "a". */
  private static final class Uses {
    private final Duration period;
    private final Deque<Long> window = new ArrayDeque<>(); // a time before each check
    private int max; // that are in one window for certain

    Uses(Duration period) {
      this.period = period;
    }

    /** Returns by what the last of them was decided. */
    Origin add(RateLimiter limiter, int times) {
      Decision decision;
      int left = times;
      do {
        long before = System.nanoTime();
        decision = limiter.check("a");
        if (decision.allowed()) {
          window.add(before);
          long after = System.nanoTime();
          while (window.getFirst() <= after - period.toNanos()) {
            window.removeFirst();
          }
          max = Math.max(max, window.size());
        }
      } while (--left > 0 && decision.origin() != Origin.FAILURE);
      return decision.origin();
    }
  }

  @Test
  void limiterThatBecomesStrictWaitsThenLeasesAgain() {
    RedisStore store = store(primary(), "&replicas=0");
    RateLimiter limiter = leased(store, OnFailure.ALLOW);
    byLease(limiter, "a");
    limiter.beginReconfigure(List.of(LIMIT), OnFailure.DENY, Consistency.LEASED).run();
    assertThat(limiter.check("a").origin()).as("the data set is young").isEqualTo(Origin.FAILURE);
    byLease(limiter, "a");
    limiter.beginReconfigure(List.of(LIMIT), OnFailure.ALLOW, Consistency.LEASED).run();
    assertThat(limiter.check("b").origin()).isEqualTo(Origin.STORE);
  }

  @Test
  void aServerThatForgetsIsRefused() {
    RedisProcess redis = opened(RedisProcess.start("maxmemory-policy allkeys-lru"));
    RedisStore store = store(redis, "&replicas=0");
    assertThatThrownBy(() -> leased(store, OnFailure.DENY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "consistency 'leased' cannot be kept: "
                + redis.address()
                + " has maxmemory-policy allkeys-lru; set noeviction");
    assertThat(leased(store, OnFailure.ALLOW).tryAcquire("a")).isTrue();
  }
}
