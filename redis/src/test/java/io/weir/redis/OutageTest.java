package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.redis.RedisStatus.State;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real Redis that goes and comes back: the breaker follows, and every check is decided. */
@Timeout(120)
class OutageTest {
  private final RedisProcess redis = RedisProcess.start();
  private final RedisStore store =
      RedisStore.open(RedisSettings.parse(redis.url() + "?timeout=50ms"));
  private final RateLimiter limiter =
      RateLimiter.builder()
          .name("outage")
          .limit(Limit.tokenBucket(1000).perHour())
          .store(store)
          .onFailure(OnFailure.LOCAL)
          .build();

  @AfterEach
  void close() {
    store.close();
    redis.close();
  }

  private RedisStatus.Shard shard() {
    return store.status().shards().get(0);
  }

  /** Checks until the breaker has this state; keys differ, so that no refusal is cached. */
  private void checkUntil(State state, Origin origin) {
    int[] checks = {0};
    Await.holds(
        state + " and " + origin,
        () -> {
          Decision decision = limiter.check("key" + checks[0]++);
          return shard().state() == state && decision.origin() == origin;
        });
  }

  @Test
  void aRedisThatHangsIsNotWaitedForAndIsFoundAgain() {
    checkUntil(State.CLOSED, Origin.STORE);
    redis.suspend();
    checkUntil(State.OPEN, Origin.LOCAL);
    long calls = store.status().calls();
    for (int i = 0; i < 1000; i++) {
      assertThat(limiter.check("k" + i).origin()).isEqualTo(Origin.LOCAL);
    }
    assertThat(store.status().calls() - calls).isLessThan(100); // heartbeats, at most
    assertThat(store.status().timeouts()).isGreaterThanOrEqualTo(5);
    assertThat(store.status().fallbacks()).isGreaterThanOrEqualTo(1000);
    redis.resume();
    checkUntil(State.CLOSED, Origin.STORE);
  }

  @Test
  void aConnectionThatHangsForLongIsReplaced() {
    checkUntil(State.CLOSED, Origin.STORE);
    redis.suspend();
    checkUntil(State.OPEN, Origin.LOCAL);
    Await.holds(
        "a new connection",
        () -> shard().reason().contains("long") || shard().reason().contains("connect"));
    redis.resume();
    checkUntil(State.CLOSED, Origin.STORE);
  }

  @Test
  void aRedisThatIsKilledAndStartedAgainIsFoundAgain() {
    checkUntil(State.CLOSED, Origin.STORE);
    for (int i = 0; i < 3; i++) {
      redis.kill();
      checkUntil(State.OPEN, Origin.LOCAL);
      redis.startAgain();
      checkUntil(State.CLOSED, Origin.STORE);
    }
    assertThat(shard().changes()).isGreaterThanOrEqualTo(7);
  }

  @Test
  void aRedisWithoutMemoryRefusesRightly() {
    RateLimiter once =
        RateLimiter.builder()
            .name("once")
            .limit(Limit.tokenBucket(1).perHour())
            .store(store)
            .onFailure(OnFailure.ALLOW)
            .build();
    checkUntil(State.CLOSED, Origin.STORE);
    Await.holds("it is spent", () -> once.check("spent").origin() == Origin.STORE);
    redis.call("CONFIG", "SET", "maxmemory", "1");
    checkUntil(State.DEGRADED, Origin.LOCAL);
    assertThat(once.check("new").origin()).isEqualTo(Origin.FAILURE);
    Await.holds("a spent key is refused", () -> !once.check("spent").allowed());
    redis.call("CONFIG", "SET", "maxmemory", "0");
    checkUntil(State.CLOSED, Origin.STORE);
  }

  @Test
  void whatRedisHasGrantedIsNotGrantedAgain() {
    for (int i = 0; i < 1000; i++) {
      assertThat(limiter.tryAcquire("greedy")).isTrue();
    }
    redis.kill();
    checkUntil(State.OPEN, Origin.LOCAL);
    assertThat(limiter.tryAcquire("greedy", 100)).isFalse();
    assertThat(limiter.tryAcquire("modest", 100)).isTrue();
  }

  /** On the thread that ends calls this would wait for ever, and every deadline with it. */
  @Test
  void callbackMayBlockOnAnotherCheck() throws Exception {
    checkUntil(State.CLOSED, Origin.STORE);
    redis.suspend();
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String key = "again-" + i;
      all.add(
          limiter
              .async()
              .check(key)
              .thenApply(
                  first ->
                      RateLimiter.takeAll(
                              List.of(Charge.of(limiter, key), Charge.of(limiter, key + "-too")))
                          .together()
                          .allowed())
              .toCompletableFuture());
    }
    for (CompletableFuture<Boolean> each : all) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isTrue();
    }
    redis.resume();
    checkUntil(State.CLOSED, Origin.STORE);
  }

  /** The thread would wait for a reply that it has to read itself, and count Redis as slow. */
  @Test
  void blockingCallbackDoesNotOpenTheBreaker() throws Exception {
    try (RedisStore patient = RedisStore.open(RedisSuite.patient(redis.url()))) {
      RateLimiter limiter =
          RateLimiter.builder()
              .name("patient")
              .limit(Limit.tokenBucket(1000).perHour())
              .store(patient)
              .onFailure(OnFailure.LOCAL)
              .build();
      Await.holds("Redis decides", () -> limiter.check("first").origin() == Origin.STORE);
      checkInCallbacks(limiter);
      assertThat(patient.status().timeouts()).isZero();
      assertThat(patient.status().shards().get(0).state()).isEqualTo(State.CLOSED);
    }
  }

  private static void checkInCallbacks(RateLimiter limiter) throws Exception {
    for (int i = 0; i < 20; i++) {
      String key = "back-" + i;
      CompletableFuture<Origin> checks =
          limiter
              .async()
              .check(key)
              .thenApply(first -> limiter.check(key).origin())
              .toCompletableFuture();
      CompletableFuture<Boolean> together =
          limiter
              .async()
              .check(key + "-too")
              .thenApply(
                  first ->
                      RateLimiter.checkAll(Charge.of(limiter, key), Charge.of(limiter, key + "x"))
                          .allowed())
              .toCompletableFuture();
      checks.get(60, TimeUnit.SECONDS);
      assertThat(together.get(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** The line of the outage is due while the deadlines of all calls pass. */
  @Test
  void blockedLogDoesNotDelayDecisions() throws Exception {
    checkUntil(State.CLOSED, Origin.STORE);
    CountDownLatch released = new CountDownLatch(1);
    Logger logger = Logger.getLogger("io.weir.redis");
    Handler stuck = new StuckLog(released);
    logger.addHandler(stuck);
    try {
      redis.suspend();
      List<CompletableFuture<Decision>> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        all.add(limiter.async().check("logged-" + i).toCompletableFuture());
      }
      for (CompletableFuture<Decision> each : all) {
        assertThat(each.get(20, TimeUnit.SECONDS).origin()).isEqualTo(Origin.LOCAL);
      }
      assertThat(shard().state()).isEqualTo(State.OPEN);
      redis.resume();
      checkUntil(State.CLOSED, Origin.STORE);
    } finally {
      released.countDown();
      logger.removeHandler(stuck);
    }
  }

  /** A log whose lines are not taken until it is released. */
  private static final class StuckLog extends Handler {
    private final CountDownLatch released;

    StuckLog(CountDownLatch released) {
      this.released = released;
    }

    @Override
    public void publish(LogRecord line) {
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
