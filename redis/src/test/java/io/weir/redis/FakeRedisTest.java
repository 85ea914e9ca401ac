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

/** A server that does not answer what it was asked: nobody is let in by it, and nobody waits. */
@Timeout(60)
class FakeRedisTest {
  private static final String GRANTED = "*4\r\n:1\r\n:MICROS\r\n:1\r\n:0\r\n";

  private final FakeRedis redis = new FakeRedis();
  private RedisStore store;
  private RateLimiter ofDay;
  private RateLimiter ofBucket;
  private int asked;

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
    return limiter.async().check("key" + asked++).toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private void awaitAnswer() {
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
  void whatIsNoAnswerEndsTheConnection(String answer) throws Exception {
    for (RateLimiter limiter : List.of(ofBucket, ofDay)) {
      awaitAnswer();
      int connections = redis.connections();
      redis.answer(answer);
      Decision decision = check(limiter);
      assertThat(decision.origin()).isEqualTo(Origin.FAILURE);
      assertThat(decision.allowed()).isFalse();
      Await.holds("another connection", () -> redis.connections() > connections);
    }
    awaitAnswer();
  }

  /** The second would be taken for the answer to somebody else. */
  @Test
  void anAnswerTooManyEndsTheConnection() throws Exception {
    awaitAnswer();
    int connections = redis.connections();
    redis.answer(GRANTED + GRANTED);
    check(ofBucket);
    Await.holds("another connection", () -> redis.connections() > connections);
  }

  /** Redis has taken nothing: what it says of the bucket does not make a yes of that. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*4\r\n:0\r\n:MICROS\r\n:0\r\n:0\r\n",
        "*4\r\n:0\r\n:MICROS\r\n:5\r\n:0\r\n",
        "*4\r\n:-2\r\n:MICROS\r\n:5\r\n:0\r\n",
        "*4\r\n:-4\r\n:MICROS\r\n:0\r\n:0\r\n",
        "*4\r\n:2\r\n:MICROS\r\n:0\r\n:0\r\n"
      })
  void whatWasNotTakenIsNotAllowed(String answer) throws Exception {
    for (RateLimiter limiter : List.of(ofBucket, ofDay)) {
      awaitAnswer();
      redis.answer(answer);
      Decision decision = check(limiter);
      assertThat(decision.origin()).isEqualTo(Origin.FAILURE);
      assertThat(decision.allowed()).isFalse();
    }
  }
}
