package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.StoreUnavailableException;
import io.weir.redis.RedisStatus.State;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Corrections of charges while a real Redis is away: reported, and never made twice. */
@Tag("slow")
@Timeout(120)
class CorrectionsTest {
  /** Of the bytes of a log that is not rewritten each time. */
  private static final long LONG_LOG = 4096;

  private final RedisProcess redis = RedisProcess.start();
  private final FaultyProxy proxy = new FaultyProxy(redis.port());
  private final RedisStore store =
      RedisStore.open(RedisSettings.parse(proxy.url() + "?timeout=3s"));
  private final RateLimiter limiter =
      RateLimiter.builder()
          .name("corrections")
          .limit(Limit.slidingLog(100).perHour())
          .store(store)
          .onFailure(OnFailure.LOCAL)
          .build();

  @AfterEach
  void close() {
    store.close();
    proxy.close();
    redis.close();
  }

  private void awaitRedis() {
    Await.holds(
        "Redis is called",
        () ->
            store.status().shards().get(0).state() == State.CLOSED
                && limiter.peek("other").origin() == Origin.STORE);
  }

  private Reservation reserve() {
    awaitRedis();
    Reservation place = limiter.reserve("k", 10, Duration.ZERO);
    assertThat(place.decision().origin()).isEqualTo(Origin.STORE);
    assertThat(place.decision().remaining()).isEqualTo(90);
    return place;
  }

  private long left() {
    awaitRedis();
    return limiter.peek("k").remaining();
  }

  private static String outcome(CompletionStage<Void> stage) {
    try {
      stage.toCompletableFuture().join();
      return "done";
    } catch (CompletionException e) {
      assertThat(e).hasCauseInstanceOf(StoreUnavailableException.class);
      return ((StoreUnavailableException) e.getCause()).isInDoubt() ? "unknown" : "undone";
    }
  }

  /** Accepts no connection, and closes the open ones. */
  private void slam() {
    proxy.door(FaultyProxy.AcceptMode.SLAMMED);
    proxy.drop();
    Await.holds("it is noticed", () -> store.status().shards().get(0).state() == State.OPEN);
  }

  @ParameterizedTest
  @CsvSource({"0, 100", "4, 96", "30, 70"})
  void whatWasNeverSentCanBeRepeated(long cost, long left) {
    Reservation place = reserve();
    slam();
    assertThat(outcome(place.settleAsync(cost))).isEqualTo("undone");
    assertThat(outcome(place.settleAsync(cost))).isEqualTo("undone");
    assertThat(store.status().lost()).isEqualTo(2);
    proxy.heal();

    assertThat(left()).isEqualTo(90);
    assertThat(outcome(place.settleAsync(cost))).isEqualTo("done");
    assertThat(outcome(place.settleAsync(0))).isEqualTo("done");
    assertThat(left()).isEqualTo(left);
    slam();
    assertThat(limiter.peek("k").origin()).isEqualTo(Origin.LOCAL);
    assertThat(limiter.peek("k").remaining()).as("counted here once").isEqualTo(left);
  }

  /** The reply is lost, and the command is executed. */
  @Test
  void whatMayHaveBeenDoneIsNotRepeated() {
    Reservation place = reserve();
    proxy.toClient(FaultyProxy.Fault.SWALLOW);
    assertThat(outcome(place.settleAsync(4))).isEqualTo("unknown");
    assertThat(outcome(place.settleAsync(4))).as("settled").isEqualTo("done");
    proxy.heal();
    proxy.drop();
    assertThat(left()).isEqualTo(96);
  }

  @Test
  void hangingRedisLeavesTheOutcomeUnknown() {
    Reservation place = reserve();
    redis.suspend();
    assertThat(outcome(place.settleAsync(30))).isEqualTo("unknown");
    redis.resume();
    assertThat(left()).isEqualTo(70);
  }

  @Test
  void whatRedisRefusesWasNotDone() {
    Reservation place = reserve();
    redis.call("CONFIG", "SET", "maxmemory", "1");
    assertThat(outcome(place.settleAsync(30))).isEqualTo("undone");
    redis.call("CONFIG", "SET", "maxmemory", "0");
    assertThat(outcome(place.settleAsync(30))).isEqualTo("done");
    assertThat(left()).isEqualTo(70);
  }

  /** A long log is written in place, and then set to expire, which the user may not do. */
  @Test
  void commandForbiddenHalfwayLeavesTheOutcomeUnknown() {
    awaitRedis();
    RateLimiter many =
        RateLimiter.builder()
            .name("many")
            .limit(Limit.slidingLog(1_000_000).perHour())
            .store(store)
            .build();
    many.tryAcquire("k");
    String key = (String) ((List<?>) redis.call("KEYS", "*many*")).get(0);
    Await.holds(
        "the log is long",
        () -> many.tryAcquire("k") && (Long) redis.call("STRLEN", key) > LONG_LOG);
    Reservation place = many.reserve("k", 10, Duration.ZERO);
    long before = place.decision().remaining();
    redis.call("ACL", "SETUSER", "default", "-pexpire");
    assertThat(outcome(place.settleAsync(30))).isEqualTo("unknown");
    redis.call("ACL", "SETUSER", "default", "+pexpire");
    awaitRedis();
    assertThat(many.peek("k").remaining()).as("it was done").isEqualTo(before - 20);
  }

  @Test
  void whatIsForbiddenAltogetherWasNotDone() {
    Reservation place = reserve();
    redis.call("ACL", "SETUSER", "default", "-evalsha", "-eval");
    assertThat(outcome(place.settleAsync(30))).isEqualTo("undone");
    redis.call("ACL", "SETUSER", "default", "+evalsha", "+eval");
    assertThat(left()).isEqualTo(90);
  }

  /** A script that Redis has forgotten is sent again, with its text. */
  @Test
  void flushedScriptIsSentAgain() {
    Reservation place = reserve();
    redis.call("SCRIPT", "FLUSH");
    assertThat(outcome(place.settleAsync(4))).isEqualTo("done");
    assertThat(left()).isEqualTo(96);
  }

  @Test
  void asyncRefundReportsItsOutcome() {
    reserve();
    slam();
    assertThat(outcome(limiter.async().refund("k", 5))).isEqualTo("undone");
    assertThat(limiter.peek("k").remaining()).as("nor here").isEqualTo(90);
    proxy.heal();
    assertThat(left()).isEqualTo(90);
    assertThat(outcome(limiter.async().refund("k", 5))).isEqualTo("done");
    assertThat(left()).isEqualTo(95);

    proxy.toClient(FaultyProxy.Fault.SWALLOW);
    assertThat(outcome(limiter.async().refund("k", 2))).isEqualTo("unknown");
    proxy.heal();
    proxy.drop();
    assertThat(left()).isEqualTo(97);
  }

  @Test
  void blockingCorrectionsDoNotThrow() {
    Reservation place = reserve();
    slam();
    assertThatCode(() -> place.settle(4)).doesNotThrowAnyException();
    assertThatCode(() -> limiter.refund("k", 1)).doesNotThrowAnyException();
    assertThat(limiter.peek("k").remaining()).as("here it is known").isEqualTo(97);
    proxy.heal();
    assertThat(left()).isEqualTo(90);
  }
}
