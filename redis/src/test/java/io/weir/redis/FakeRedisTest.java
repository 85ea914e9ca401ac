package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.FakeRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with invalid replies: they allow no request, and no caller waits for them. */
@Timeout(60)
class FakeRedisTest {
  private static final String GRANTED = "*4\r\n:1\r\n:MICROS\r\n:1\r\n:0\r\n";

  private final FakeRedis redis = new FakeRedis();
  private RedisStore store;
  private RateLimiter ofDay;
  private RateLimiter ofBucket;
  private int checks;

  @BeforeEach
  void open() {
    store = RedisStore.open(RedisSettings.parse(redis.url()).withTimeout(Duration.ofSeconds(10)));
    ofDay = limiter("day", Limit.fixedWindow(10).perDay());
    ofBucket = limiter("bucket", Limit.tokenBucket(10).perSecond());
  }

  @AfterEach
  void close() {
    store.close();
    redis.close();
  }

  private RateLimiter limiter(String name, Limit limit) {
    return RateLimiter.builder()
        .name(name)
        .limit(limit)
        .store(store)
        .onFailure(OnFailure.DENY)
        .build();
  }

  private Decision check(RateLimiter limiter) throws Exception {
    return limiter.async().check("key" + checks++).toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private void awaitReply() {
    redis.answer(GRANTED);
    Await.holds("answers", () -> check(ofBucket).origin() == Origin.STORE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$-1\r\n",
        "*-1\r\n",
        "*0\r\n",
        "+OK\r\n",
        "*1\r\n:1\r\n",
        "*3\r\n:1\r\n:MICROS\r\n:1\r\n",
        "*7\r\n:1\r\n:MICROS\r\n:1\r\n:0\r\n:0\r\n:0\r\n:0\r\n",
        "*4\r\n:1\r\n:9223372036854775807\r\n:1\r\n:0\r\n",
        "*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n",
        ">1\r\n+invalidate\r\n" + GRANTED,
        "HTTP/1.1 400 Bad Request\r\n\r\n"
      })
  void invalidReplyEndsTheConnection(String answer) throws Exception {
    for (RateLimiter limiter : List.of(ofBucket, ofDay)) {
      awaitReply();
      int connections = redis.connections();
      redis.answer(answer);
      Decision decision = check(limiter);
      assertThat(decision.origin()).isEqualTo(Origin.FAILURE);
      assertThat(decision.allowed()).isFalse();
      Await.holds("another connection", () -> redis.connections() > connections);
    }
    awaitReply();
  }

  /** The second would be taken for the reply to another call. */
  @Test
  void extraReplyEndsTheConnection() throws Exception {
    awaitReply();
    int connections = redis.connections();
    redis.answer(GRANTED + GRANTED);
    check(ofBucket);
    Await.holds("another connection", () -> redis.connections() > connections);
  }

  /**
   * Redis has taken nothing, so the state of the bucket in its reply does not allow the request.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*4\r\n:0\r\n:MICROS\r\n:0\r\n:0\r\n",
        "*4\r\n:0\r\n:MICROS\r\n:5\r\n:0\r\n",
        "*4\r\n:-2\r\n:MICROS\r\n:5\r\n:0\r\n",
        "*4\r\n:-4\r\n:MICROS\r\n:0\r\n:0\r\n",
        "*4\r\n:2\r\n:MICROS\r\n:0\r\n:0\r\n"
      })
  void replyWithoutTakingIsARefusal(String answer) throws Exception {
    for (RateLimiter limiter : List.of(ofBucket, ofDay)) {
      awaitReply();
      redis.answer(answer);
      Decision decision = check(limiter);
      assertThat(decision.origin()).isEqualTo(Origin.FAILURE);
      assertThat(decision.allowed()).isFalse();
    }
  }
}
