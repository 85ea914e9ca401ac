package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.CapturedLog;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RespSocket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Strict limiters on a real primary and a real replica. */
@Tag("slow")
@Timeout(120)
class StrictTest extends ReplicatedSuite {
  private static final Limit THREE = Limit.slidingLog(3).per(Duration.ofMillis(1500));
  private static final Limit LONG = Limit.slidingLog(3).perHour();

  private final AtomicInteger users = new AtomicInteger();

  private RedisStore store(RedisProcess redis, String parameters) {
    String timeout = parameters.contains("timeout=") ? "" : "&timeout=10s";
    return opened(RedisStore.open(redis.url() + "?connect_timeout=10s" + timeout + parameters));
  }

  private static RateLimiter limiter(RedisStore store, Limit limit, Consistency consistency) {
    return RateLimiter.builder()
        .name("a")
        .limit(limit)
        .consistency(consistency)
        .onFailure(OnFailure.DENY)
        .store(store)
        .build();
  }

  private static RateLimiter strict(RedisStore store, Limit limit) {
    return limiter(store, limit, Consistency.STRICT);
  }

  /** Sooner or later; a new key each time, since a reply that takes too long is a refusal. */
  private void assertGrants(RateLimiter limiter) {
    Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
  }

  @Test
  void grantsWhatAllReplicasAcknowledge() {
    RedisProcess primary = primary();
    RedisProcess replica = replicaOf(primary);
    RedisStore store = store(primary, "&replicas=1");
    RateLimiter young = strict(store, LONG);
    assertThat(young.check("early").origin()).isEqualTo(Origin.FAILURE);
    assertThat(young.check("early").retryAfter()).get().isNotEqualTo(Duration.ZERO);
    RateLimiter limiter = strict(store, THREE);
    assertGrants(limiter);
    Await.holds(
        "all of it and no more",
        () -> {
          String user = "user" + users.incrementAndGet();
          boolean first = limiter.tryAcquire(user, 2);
          boolean second = limiter.tryAcquire(user);
          Decision more = limiter.check(user);
          return first && second && !more.allowed() && more.origin() == Origin.STORE;
        });
    Await.holds(
        "the replica has the mark",
        () -> primary.call("GET", "weir:era").equals(replica.call("GET", "weir:era")));
    assertThat(primary.calls("wait")).isPositive();
  }

  @Test
  void refusesWhatAReplicaLacks() {
    RedisProcess primary = primary();
    RedisProcess replica = replicaOf(primary);
    RedisStore store = store(primary, "&replicas=1&timeout=1s");
    RateLimiter limiter = strict(store, THREE);
    RateLimiter exact = limiter(store, THREE, Consistency.EXACT);
    assertGrants(limiter);
    replica.suspend();
    MissingReplica.awaitRefusals(store, () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    Await.holds(
        "other limiters are not affected",
        () -> exact.tryAcquire("user" + users.incrementAndGet()));
    replica.resume();
    assertGrants(limiter);
  }

  static Stream<RedisProgram> programs() {
    return Stream.of(Optional.of(RedisProgram.jar()), RedisProgram.system(), RedisProgram.named())
        .flatMap(Optional::stream);
  }

  /**
   * From Redis 7.2 on WAIT waits for the last write of its own connection, and a refusal writes
   * nothing, while replicas are always a little behind what others write.
   */
  @ParameterizedTest
  @MethodSource("programs")
  void refusesAndGrantsBesideAnotherWriter(RedisProgram program) throws Exception {
    RedisProcess primary = opened(RedisProcess.start(program));
    RedisProcess replica =
        opened(RedisProcess.start(program, "replicaof 127.0.0.1 " + primary.port()));
    Await.holds(
        "the replica follows",
        () -> primary.info("replication", "slave0").contains("state=online"));
    RedisStore store = store(primary, "&replicas=1&timeout=1s&refusal_memory=0s");
    RateLimiter limiter = strict(store, Limit.slidingLog(3).per(Duration.ofSeconds(3)));
    assertGrants(limiter);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              try (RespSocket connection = primary.connect()) {
                while (!isOver.get()) {
                  connection.call("SET", "other", "x".repeat(1000));
                }
              }
            });
    writer.start();
    try {
      int byRedis = 0;
      int granted = 0;
      for (int i = 0; i < 300; i++) {
        byRedis += limiter.check("spent", 3).origin() == Origin.STORE ? 1 : 0;
        byRedis += limiter.peek("spent", 3).origin() == Origin.STORE ? 1 : 0;
        granted += limiter.tryAcquire("user" + users.incrementAndGet()) ? 1 : 0;
      }
      assertThat(byRedis).as("by Redis of 600, " + store.status()).isGreaterThan(570);
      assertThat(granted).as("grants of 300, " + store.status()).isGreaterThan(285);
    } finally {
      isOver.set(true);
      writer.join();
    }
    assertThat(replica.info("replication", "master_link_status")).isEqualTo("up");
  }

  @Test
  void doesNotWaitWithoutReplicas() {
    RedisProcess redis = primary();
    assertGrants(strict(store(redis, "&replicas=0"), THREE));
    assertThat(redis.calls("wait")).isZero();
  }

  enum Loss {
    FLUSH,
    RESTART_EMPTY,
    RESTART_WITH_OLD_DATA,
    RESET_BY_HAND
  }

  /** Only the mark, the start and the clock of Redis show it. */
  @ParameterizedTest
  @EnumSource
  void whatWasGrantedCountsEvenIfItIsLost(Loss loss) {
    RedisProcess redis = primary();
    RateLimiter limiter = strict(store(redis, "&replicas=0"), THREE);
    redis.call("SAVE");
    AtomicLong sent = new AtomicLong();
    Await.holds(
        "all is granted",
        () -> {
          sent.set(System.nanoTime());
          return limiter.tryAcquire("a", 3);
        });
    switch (loss) {
      case FLUSH -> redis.flush();
      case RESTART_EMPTY -> redis.restartEmpty();
      case RESTART_WITH_OLD_DATA -> {
        redis.kill();
        redis.startAgain();
      }
      case RESET_BY_HAND -> {
        redis.flush();
        redis.call("SET", "weir:era", "8 1000000000000000");
      }
    }
    Await.holds("all is granted again", () -> limiter.tryAcquire("a", 3));
    assertThat(Duration.ofNanos(System.nanoTime() - sent.get()))
        .isGreaterThanOrEqualTo(Duration.ofMillis(1500));
  }

  @Test
  void laterNodeReadsTheAgeOfTheData() {
    RedisProcess redis = primary();
    RateLimiter first = strict(store(redis, "&replicas=0"), THREE);
    assertGrants(first);
    RateLimiter second = strict(store(redis, "&replicas=0"), THREE);
    Await.holds(
        "granted by the first call of a key",
        () -> second.tryAcquire("user" + users.incrementAndGet()));
    assertThat(second.peek("b").origin()).isEqualTo(Origin.STORE);
  }

  /** By the wall clock of its process, which need not be the system's. */
  @Test
  void laterNodeWithAWrongClockGrantsNothing() {
    RedisProcess redis = primary();
    assertGrants(strict(store(redis, "&replicas=0"), THREE));
    String url = redis.url() + "?connect_timeout=10s&timeout=10s&replicas=0";
    TimeSource wrong = () -> (System.currentTimeMillis() + 5000) * 1_000_000;
    try (CapturedLog log = new CapturedLog("io.weir.redis")) {
      RateLimiter second = strict(opened(RedisStore.open(RedisSettings.parse(url), wrong)), THREE);
      log.awaitWarning("its clock and ours are ");
      assertGrants(second);
    }
  }

  @Test
  void reservationsAndCorrectionsAreStrictToo() {
    RateLimiter limiter = strict(store(primary(), "&replicas=0"), LONG);
    assertThat(limiter.reserve("a", 1, Duration.ofHours(2)).granted()).as("too young").isFalse();
    RateLimiter shorter = strict(store(primary(), "&replicas=0"), THREE);
    Await.holds(
        "reserved, cancelled, and reserved again",
        () -> {
          String user = "user" + users.incrementAndGet();
          Reservation first = shorter.reserve(user, 3, Duration.ZERO);
          if (first.granted()) {
            first.cancel();
          }
          return first.granted() && shorter.reserve(user, 3, Duration.ZERO).granted();
        });
  }

  @Test
  void exactBecomesStrictAndBack() {
    RedisStore store = store(primary(), "&replicas=0");
    RateLimiter limiter = limiter(store, LONG, Consistency.EXACT);
    assertThat(limiter.tryAcquire("a")).isTrue();
    limiter.beginReconfigure(List.of(LONG), OnFailure.DENY, Consistency.STRICT).run();
    assertThat(limiter.check("a").origin()).as("the data set is young").isEqualTo(Origin.FAILURE);
    limiter.beginReconfigure(List.of(LONG), OnFailure.DENY, Consistency.EXACT).run();
    assertThat(limiter.check("a", 2).remaining()).isZero();
  }

  /** With exactly what the documentation says. */
  @Test
  void theDocumentedUserMayDoAllThatIsNeeded() throws IOException {
    RedisProcess primary = primary();
    replicaOf(primary);
    String line =
        Files.readAllLines(Path.of("..", "docs", "reference", "redis.md")).stream()
            .filter(each -> each.startsWith("ACL SETUSER "))
            .findFirst()
            .orElseThrow();
    primary.call(line.split(" "));
    String url = "redis://limiter:secret@" + primary.address();
    RedisStore store = opened(RedisStore.open(url + "?connect_timeout=10s&timeout=10s&replicas=1"));
    assertGrants(strict(store, THREE));
  }

  // What is refused at once.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://127.0.0.1:1 | needs to know how many replicas the primary has; add replicas=N",
        "redis-cluster://127.0.0.1:1?replicas=1 | is not for redis-cluster://; use redis://",
      })
  void rejectsUrlsWithoutStrictGuarantee(String url, String message) {
    RedisStore store = opened(RedisStore.open(url));
    assertThatThrownBy(() -> strict(store, LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("consistency 'strict' " + message);
  }

  @Test
  void rejectsServerThatEvictsKeys() {
    RedisProcess redis = opened(RedisProcess.start("maxmemory-policy allkeys-lru"));
    RedisStore store = store(redis, "&replicas=0");
    assertThatThrownBy(() -> strict(store, LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "consistency 'strict' cannot be kept: "
                + redis.address()
                + " has maxmemory-policy allkeys-lru; set noeviction");
    redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
    Await.holds("it is seen", () -> isStrictAllowed(store));
    RateLimiter limiter = strict(store, THREE);
    assertGrants(limiter);
    redis.call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
    Await.holds(
        "it is seen again",
        () -> limiter.check("user" + users.incrementAndGet()).origin() == Origin.FAILURE);
    assertThat(limiter.tryAcquire("b")).isFalse();
  }

  private static boolean isStrictAllowed(RedisStore store) {
    try {
      store.requireKept(Consistency.STRICT, OnFailure.DENY);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Test
  void rejectsReplicaMissingInTheUrl() {
    RedisProcess primary = primary();
    replicaOf(primary);
    RedisStore store = store(primary, "&replicas=0");
    assertThatThrownBy(() -> strict(store, LONG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is copied by 1 servers, and the URL of the store says replicas=0");
  }

  /** A Redis that is away does not prevent a start. */
  @Test
  void whereRedisIsAwayNothingIsGranted() {
    RedisProcess redis = primary();
    redis.kill();
    RateLimiter limiter = strict(store(redis, "&replicas=0"), THREE);
    assertThat(limiter.check("a").allowed()).isFalse();
    redis.startAgainEmpty();
    assertGrants(limiter);
  }
}
