package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that start while a real Redis is away: their shares still add up to the limit at most. */
@Timeout(120)
class StartInOutageTest {
  private static final int LIMIT = 60;

  private final RedisProcess redis = RedisProcess.start();
  private final List<RedisStore> nodes = new ArrayList<>();

  @TempDir Path directory;

  @AfterEach
  void close() {
    nodes.forEach(RedisStore::close);
    redis.close();
  }

  private RateLimiter start(String parameters) {
    return start(parameters, Duration.ofHours(1));
  }

  private RateLimiter start(String parameters, Duration period) {
    RedisStore node = RedisStore.open(redis.url() + "?timeout=50ms" + parameters);
    nodes.add(node);
    return RateLimiter.builder()
        .name("started")
        .limit(Limit.slidingLog(LIMIT).per(period))
        .store(node)
        .onFailure(OnFailure.LOCAL)
        .build();
  }

  private String state(int node) {
    return "&state=" + directory.resolve("node" + node).resolve("nodes");
  }

  private int kept(int node) {
    Path file = directory.resolve("node" + node).resolve("nodes");
    try {
      return Files.exists(file) ? Integer.parseInt(Files.readAllLines(file).get(2)) : 0;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static int granted(RateLimiter limiter) {
    int granted = 0;
    while (granted <= LIMIT && limiter.tryAcquire("k")) {
      granted++;
    }
    return granted;
  }

  private void awaitCount(int count) {
    Await.holds(
        count + " nodes are counted",
        () -> nodes.stream().allMatch(node -> node.status().nodes() == count));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void restartedNodesGrantNothingForAWindowAndNewOnesRefuse(int count) {
    List<RateLimiter> limiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      limiters.add(start(state(i)));
    }
    awaitCount(count);
    Await.holds("all have kept it", () -> kept(0) == count && kept(count - 1) == count);
    redis.kill();
    int sum = granted(limiters.get(0));
    assertThat(sum).isEqualTo(LIMIT / count);
    RedisStore spent = nodes.get(0);
    for (int i = 0; i < 3; i++) {
      spent.close();
      limiters.set(0, start(state(0)));
      spent = nodes.get(nodes.size() - 1);
      sum += granted(limiters.get(0));
    }
    limiters.add(start(state(count))); // was never there before
    limiters.add(start(""));
    for (RateLimiter each : limiters) {
      sum += granted(each);
    }
    assertThat(sum).isEqualTo(LIMIT / count * count).isLessThanOrEqualTo(LIMIT);
  }

  /** The processes before them may have spent all, just now. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void allNodesStartWithGivenNumberAndHaveTheirSharesAfterAWindow(int count) {
    redis.kill();
    Duration period = Duration.ofSeconds(4);
    List<RateLimiter> limiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      limiters.add(start("&nodes=" + count, period));
      Decision refused = limiters.get(i).check("k");
      assertThat(refused.allowed()).isFalse();
      assertThat(refused.retryAfter().orElseThrow()).isLessThanOrEqualTo(period);
    }
    RateLimiter last = limiters.get(count - 1);
    Await.holds("a window is over", () -> last.check("other").allowed());
    int sum = 0;
    for (RateLimiter each : limiters) {
      sum += granted(each);
    }
    assertThat(sum).isEqualTo(LIMIT);
  }

  /** It keeps what it was charged meanwhile, and an outage after the window finds a warm share. */
  @Test
  void aNodeThatStartedInAnOutageHasAWarmShareInTheNextOne() {
    redis.kill();
    RateLimiter limiter = start("&nodes=2", Duration.ofSeconds(4));
    assertThat(limiter.check("k").allowed()).isFalse();
    redis.startAgain();
    Await.holds("Redis decides", () -> limiter.check("first").origin() == Origin.STORE);
    redis.kill();
    Await.holds("a window is over", () -> limiter.check("other").origin() == Origin.LOCAL);
    assertThat(granted(limiter)).isEqualTo(LIMIT / 2);
    assertThat(limiter.check("other", LIMIT / 2).allowed()).isFalse();
  }

  @Test
  void unknownNumberRefusesUntilRedisHasReplied() {
    redis.kill();
    RateLimiter limiter = start("", Duration.ofSeconds(5));
    assertThat(limiter.check("k").allowed()).isFalse();
    assertThat(limiter.check("k").origin()).isEqualTo(Origin.FAILURE);
    assertThat(limiter.peek("k").allowed()).isFalse();
    redis.startAgain();
    Await.holds("Redis decides", () -> limiter.check("first").origin() == Origin.STORE);
    RedisStore node = nodes.get(0);
    long changes = node.status().shards().get(0).changes();
    Await.holds("it is counted", () -> redis.call("ZCARD", "weir:nodes").equals(1L));
    redis.kill();
    Await.holds("noticed", () -> node.status().shards().get(0).changes() > changes);
    Await.holds("its share", () -> limiter.check("again").origin() == Origin.LOCAL);
    assertThat(limiter.tryAcquire("fresh")).isTrue();
  }
}
