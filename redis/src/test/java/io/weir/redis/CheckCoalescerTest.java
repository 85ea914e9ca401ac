package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that are made at the same time share calls, and are decided as if they had not. */
class CheckCoalescerTest {
  private final ManualTime time =
      TimeSource.manual().set(Instant.parse("2026-11-15T12:00:00.123456Z"));
  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void open() {
    redis = SharedRedis.empty();
    store = RedisStore.open(RedisSuite.patient(redis.url()), Clock.given(time));
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

  /** Each allowed check reports one permit less than the one before. */
  @ParameterizedTest
  @MethodSource("limits")
  void coalescedChecksPassInOrder(Limit limit) {
    RateLimiter limiter = limiter("flights", limit);
    List<CompletionStage<Decision>> futures = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      futures.add(limiter.async().check("key"));
    }
    List<Decision> decisions =
        futures.stream()
            .map(CompletionStage::toCompletableFuture)
            .map(CompletableFuture::join)
            .toList();

    assertThat(decisions.subList(100, 1000))
        .extracting(Decision::origin)
        .doesNotContain(Origin.FAILURE);
    assertThat(decisions.stream().filter(Decision::allowed).map(Decision::remaining))
        .containsExactlyElementsOf(LongStream.range(0, 100).map(i -> 99 - i).boxed().toList());
    assertThat(decisions.subList(100, 1000)).noneMatch(Decision::allowed);
  }

  @Test
  void localRefusalEqualsThatOfRedis() {
    for (Limit limit : limits()) {
      RateLimiter limiter = limiter("refused", limit);
      limiter.check("key", 100);
      long calls = store.status().calls();
      assertThat(limiter.check("key", 2).origin()).isEqualTo(Origin.STORE);
      for (long nanos : new long[] {0, 300_000, 500_000, 3_000_000, 99_999_000}) {
        time.advance(Duration.ofNanos(nanos));
        Decision known = limiter.check("key", 2);
        assertThat(known.origin()).as("%s after %s ns", limit, nanos).isEqualTo(Origin.CACHE);
        assertThat(known.standings()).isEqualTo(limiter.peek("key", 2).standings());
      }
      assertThat(store.status().calls() - calls)
          .as("one check, five peeks, and maybe some heartbeats")
          .isBetween(6L, 10L);
    }
  }

  @Test
  void aRefusalIsForgottenWhenSomethingIsGivenBack() {
    RateLimiter limiter = limiter("back", Limit.tokenBucket(10).perHour());
    limiter.check("key", 10);
    assertThat(limiter.check("key").allowed()).isFalse();
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.CACHE);

    limiter.refund("key", 1);
    assertThat(limiter.check("key").allowed()).isTrue();
    assertThat(limiter.check("key").allowed()).isFalse();
    limiter.reset("key");
    assertThat(limiter.check("key", 9).allowed()).isTrue();
    assertThat(limiter.check("key", 2).allowed()).isFalse();
    assertThat(limiter.check("key", 2).origin()).isEqualTo(Origin.CACHE);
    assertThat(limiter.check("key", 1).allowed()).as("a smaller cost may fit").isTrue();
    assertThat(limiter.check("key").allowed()).isFalse();
    limiter.reconfigure(Limit.tokenBucket(10).perHour().burst(20));
    assertThat(limiter.check("key").allowed()).as("limits have changed").isTrue();
  }

  /** 10 permits of 15 in 12 s: after 800 ms one is back, which at 10 in 12 s takes 1200 ms. */
  @Test
  void refusalByPermitsOfAFasterLimitIsNotRemembered() {
    Duration twelve = Duration.ofSeconds(12);
    RateLimiter limiter = limiter("faster", Limit.tokenBucket(15).per(twelve).burst(10));
    limiter.check("key", 10);
    limiter.reconfigure(Limit.tokenBucket(10).per(twelve));
    assertThat(limiter.check("key").retryAfter()).contains(Duration.ofMillis(1200));
    time.advance(Duration.ofMillis(799));
    assertThat(limiter.check("key").allowed()).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(limiter.check("key").allowed()).isTrue();
  }

  @Test
  void refusalIsCachedForASecondAtMost() {
    RateLimiter limiter = limiter("second", Limit.tokenBucket(1).perHour());
    limiter.check("key");
    limiter.check("key");
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.CACHE);
    time.advance(Duration.ofMillis(1001));
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
  }

  /** The thread of the callback is the one that has to read the next reply. */
  @Test
  void blockingCallbackDoesNotDelayOtherCallers() throws Exception {
    try (RedisStore patient =
        RedisStore.open(RedisSuite.patient(redis.url()).withTimeout(Duration.ofMinutes(1)))) {
      RateLimiter limiter =
          RateLimiter.builder()
              .name("nested")
              .limit(Limit.tokenBucket(10).perHour())
              .store(patient)
              .onFailure(OnFailure.DENY)
              .build();
      // A callback that comes too late runs right here, where one may wait: so more than one.
      for (int i = 0; i < 20; i++) {
        String key = "key" + i;
        CompletionStage<Decision> nested =
            limiter
                .async()
                .check(key)
                .thenApply(
                    outer -> {
                      limiter.refund(key, 1);
                      limiter.peek(key);
                      limiter.reserve(key);
                      RateLimiter.takeAll(List.of(Charge.of(limiter, key)));
                      return limiter.check(key);
                    });
        assertThat(nested.toCompletableFuture().get(30, TimeUnit.SECONDS).origin())
            .isIn(Origin.FAILURE, Origin.STORE);
      }
      assertThat(limiter.check("outer").origin()).isEqualTo(Origin.STORE);
    }
  }

  /** However many wait: two calls, one in progress and one for all that arrived meanwhile. */
  @Test
  void callersWaitForAtMostTwoCalls() throws Exception {
    try (RedisProcess own = RedisProcess.start();
        RedisStore patient =
            RedisStore.open(RedisSuite.patient(own.url()).withTimeout(Duration.ofMinutes(1)))) {
      RateLimiter limiter =
          RateLimiter.builder()
              .name("many")
              .limit(Limit.tokenBucket(10_000).perHour())
              .store(patient)
              .build();
      limiter.check("key");
      own.suspend();
      List<CompletableFuture<Decision>> futures = new ArrayList<>();
      for (int i = 0; i < 8000; i++) {
        futures.add(limiter.async().check("key").toCompletableFuture());
      }
      own.resume();
      for (CompletableFuture<Decision> each : futures) {
        assertThat(each.get(30, TimeUnit.SECONDS).allowed()).isTrue();
      }
      assertThat(own.calls("evalsha")).as("with some probes and heartbeats").isLessThan(200);
    }
  }

  /** Only a hash of the key is kept, so its length does not matter. */
  @Test
  void refusalsOfVeryLongKeysAreRememberedToo() {
    RateLimiter limiter = limiter("long", Limit.tokenBucket(1).perHour());
    for (int length : new int[] {1024, 1025, 60_000}) {
      String key = "k".repeat(length);
      limiter.check(key);
      assertThat(limiter.check(key).allowed()).isFalse();
      assertThat(limiter.check(key).origin()).isEqualTo(Origin.CACHE);
    }
  }

  /** A key that one limit refuses does not cost the other a call each time. */
  @Test
  void floodRefusedByOneOfTwoChargesIsDecidedLocally() {
    RateLimiter user = limiter("user", Limit.tokenBucket(1).perHour());
    RateLimiter all = limiter("all", Limit.tokenBucket(1000).perHour());
    RateLimiter.checkAll(Charge.of(user, "ann"), Charge.of(all, ""));
    long calls = store.status().calls();
    for (int i = 0; i < 1000; i++) {
      Decision refused = RateLimiter.checkAll(Charge.of(user, "ann"), Charge.of(all, ""));
      assertThat(refused.allowed()).isFalse();
      assertThat(refused.standings().get(1).remaining()).isEqualTo(999);
    }
    assertThat(store.status().calls() - calls).as("some heartbeats").isLessThan(100);
  }

  @Test
  @Timeout(60)
  void failedSendDoesNotLeaveCallersWaiting() {
    AtomicBoolean isBroken = new AtomicBoolean();
    TimeSource clock =
        () -> {
          if (isBroken.getAndSet(false)) {
            throw new IllegalStateException("no time");
          }
          return time.epochNanos();
        };
    store.close();
    store = RedisStore.open(RedisSuite.patient(redis.url()), Clock.given(clock));
    RateLimiter limiter = limiter("broken", Limit.tokenBucket(1).perHour());
    isBroken.set(true);
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.FAILURE);
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
  }

  private RateLimiter limiter(String name, Limit limit) {
    return RateLimiter.builder().name(name).limit(limit).store(store).build();
  }
}
