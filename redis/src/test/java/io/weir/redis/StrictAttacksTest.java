package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.CapturedLog;
import io.weir.rig.FaultyProxy;
import io.weir.rig.FaultyProxy.Fault;
import io.weir.rig.Ports;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Faults that make Redis lose grants in ways that are hard to notice. One key has spent all and is
 * checked again and again; windows are longer than each test.
 */
@Tag("slow")
@Timeout(120)
class StrictAttacksTest extends ReplicatedSuite {
  private static final int ALL = 3;
  private static final Duration WINDOW = Duration.ofSeconds(30);
  private static final Limit LOG = Limit.slidingLog(ALL).per(WINDOW);
  private static final Duration LONGER = Duration.ofMinutes(10); // where windows have edges
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String USER = "ann";

  private final AtomicInteger users = new AtomicInteger();
  private @Nullable SteppedClock clock; // where there is one
  private RedisProcess primary;

  /**
   * The Redis that is installed, if its clock can be stepped, or else that of the jar; {@code
   * WEIR_REDIS_SERVER} names another.
   */
  RedisProgram program() {
    return RedisProgram.named()
        .or(() -> RedisProgram.system().filter(it -> !isClockThere() || SteppedClock.isFor(it)))
        .orElseGet(RedisProgram::jar);
  }

  static boolean isClockThere() {
    return SteppedClock.isInstalled();
  }

  /**
   * Of a data set and a process that are older than a window by all that can be seen of them. Where
   * no clock can be stepped, that takes a window.
   */
  @BeforeEach
  void startPrimary() {
    if (isClockThere()) {
      SteppedClock stepped = new SteppedClock(program());
      clock = stepped;
      stepped.step(HOUR.negated());
      primary = opened(RedisProcess.start(stepped.program()));
      stepped.step(HOUR);
    } else {
      primary = opened(RedisProcess.start(program()));
      Await.holds(() -> "it is old", Duration.ofMinutes(1), this::isOld);
    }
    primary.call("SET", "weir:era", "8 1000000000000000");
  }

  private boolean isOld() {
    return Long.parseLong(primary.info("server", "uptime_in_seconds")) > WINDOW.toSeconds();
  }

  private void step(Duration step) {
    Objects.requireNonNull(clock).step(step);
  }

  /** With nothing in its settings of whose replica it is. */
  private RedisProcess replica() {
    RedisProcess replica = opened(RedisProcess.start(program()));
    follow(replica, primary);
    return replica;
  }

  private static void follow(RedisProcess replica, RedisProcess followed) {
    replica.call("REPLICAOF", "127.0.0.1", Integer.toString(followed.port()));
    Await.holds(
        "it follows",
        () ->
            replica.info("replication", "master_link_status").equals("up")
                && followed.info("replication").toString().contains("state=online"));
  }

  private static void lead(RedisProcess server) {
    server.call("REPLICAOF", "NO", "ONE");
  }

  private RedisStore store(String url, int replicas) {
    return opened(RedisStore.open(url + parameters(replicas)));
  }

  private static String parameters(int replicas) {
    return "?connect_timeout=10s&timeout=1s&refusal_memory=0s&replicas=" + replicas;
  }

  private static RateLimiter strict(RedisStore store, Limit limit) {
    return RateLimiter.builder()
        .name("a")
        .limit(limit)
        .consistency(Consistency.STRICT)
        .onFailure(OnFailure.DENY)
        .store(store)
        .build();
  }

  private void spendAll(RateLimiter limiter) {
    Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    assertThat(limiter.tryAcquire(USER, ALL)).isTrue();
    assertNothingIsLeft(limiter);
  }

  private static void assertNothingIsLeft(RateLimiter limiter) {
    assertThat(limiter.tryAcquire(USER)).as("one more").isFalse();
  }

  /** Checked as often as possible until the warning is logged, and some time longer. */
  private static void assertNothingIsLeftUntil(
      String warning, RateLimiter limiter, CapturedLog log) {
    Await.holds(
        () -> "a warning of '" + warning + "' in " + log.warnings(),
        Duration.ofSeconds(15),
        () -> {
          assertNothingIsLeft(limiter);
          return log.warnings().stream().anyMatch(line -> line.contains(warning));
        });
    assertNothingIsLeftFor(Duration.ofMillis(300), limiter);
  }

  private static void assertNothingIsLeftFor(Duration time, RateLimiter limiter) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < time.toNanos()) {
      assertNothingIsLeft(limiter);
    }
  }

  /** Redis takes a new replication id for the first reader, and keeps its data. */
  @Test
  void firstReplicationReaderDoesNotStopGrants() throws Exception {
    RateLimiter limiter = strict(store(primary.url(), 0), LOG);
    spendAll(limiter);
    String before = primary.info("replication", "master_replid");
    try (FakeReplica backup = new FakeReplica(primary)) {
      Await.holds("another id", () -> !primary.info("replication", "master_replid").equals(before));
      long start = System.nanoTime();
      while (System.nanoTime() - start < 3 * DataIntegrity.BEAT_NANOS) {
        assertThat(limiter.tryAcquire("user" + users.incrementAndGet())).isTrue();
        assertNothingIsLeft(limiter);
      }
    }
  }

  /**
   * A host starts with its clock behind, its Redis reads an old file, and then the clock is put
   * right: by its own word the process is old. Nodes meet it only then.
   */
  @Test
  @EnabledIf("isClockThere")
  void refusesYoungProcessThatReportsOldAge() throws Exception {
    // Its history has offsets from the first replica on. Redis 6.2 begins another with a replica
    // that comes after a restart: without one, only the offset shows how old the file is.
    lead(replica());
    Await.holds("no replica", () -> primary.info("replication", "connected_slaves").equals("0"));
    FaultyProxy proxy = opened(new FaultyProxy(primary.port()));
    RateLimiter limiter = strict(store(proxy.url(), 0), LOG);
    Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    primary.call("SAVE");
    spendAll(limiter);
    try (CapturedLog log = new CapturedLog("io.weir.redis")) {
      proxy.both(Fault.STALL);
      primary.kill();
      step(HOUR.negated());
      Files.writeString(
          primary.directory().resolve("redis.conf"),
          "replicaof 127.0.0.1 " + Ports.free() + "\n",
          StandardOpenOption.APPEND);
      primary.startAgain();
      step(HOUR);
      lead(primary);
      Await.holds("it looks old", this::isOld);
      proxy.heal();
      assertNothingIsLeftUntil("its data is older than what was granted", limiter, log);
    }
  }

  /** While nodes stand still, a primary copies one that has read an old file, and leads again. */
  @Test
  void refusesSameProcessWithAnotherHistory() {
    RedisProcess replica = replica();
    FaultyProxy proxy = opened(new FaultyProxy(primary.port()));
    RateLimiter limiter = strict(store(proxy.url(), 1), LOG);
    Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    replica.call("SAVE");
    spendAll(limiter);
    try (CapturedLog log = new CapturedLog("io.weir.redis")) {
      proxy.both(Fault.STALL);
      replica.kill();
      replica.startAgain();
      follow(primary, replica);
      lead(primary);
      follow(replica, primary);
      proxy.heal();
      assertNothingIsLeftUntil("does not continue the history", limiter, log);
    }
  }

  /**
   * Another node is new. No replica has been there since its start, so it does not know up to where
   * the history has been copied. But it has seen which history that is.
   */
  @Test
  void theSameProcessWithAnotherHistoryForANodeThatNeverMetTheReplica() {
    RedisProcess replica = replica();
    FaultyProxy known = opened(new FaultyProxy(primary.port()));
    RateLimiter limiter = strict(store(known.url(), 1), LOG);
    Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    replica.call("SAVE");
    spendAll(limiter);
    replica.kill();
    FaultyProxy proxy = opened(new FaultyProxy(primary.port()));
    RedisStore store = store(proxy.url(), 1);
    RateLimiter newcomer = strict(store, LOG);
    Await.holds(
        "it believes the mark, and misses the replica",
        () -> {
          assertNothingIsLeft(newcomer);
          return store
              .status()
              .shards()
              .toString()
              .contains("0 of 1 replicas have acknowledged the charge");
        });
    try (CapturedLog log = new CapturedLog("io.weir.redis")) {
      known.both(Fault.STALL);
      proxy.both(Fault.STALL);
      replica.startAgain();
      follow(primary, replica);
      lead(primary);
      follow(replica, primary);
      proxy.heal();
      assertNothingIsLeftUntil("does not continue the history", newcomer, log);
    }
  }

  /**
   * It also forgets whose data that was, as it does without replicas after repl-backlog-ttl: its
   * new id looks like the one that it takes for a first reader of its changes.
   */
  @Test
  void theSameProcessWithAnotherHistoryThatItHasForgotten() {
    primary.call("CONFIG", "SET", "repl-backlog-ttl", "1");
    RedisProcess other = replica();
    lead(other);
    Await.holds("no replica", () -> primary.info("replication", "connected_slaves").equals("0"));
    awaitForgottenHistory(primary);
    for (int i = 0; i < 100; i++) {
      other.call("SET", "ballast" + i, "x"); // so that its history is longer than the primary's
    }
    FaultyProxy proxy = opened(new FaultyProxy(primary.port()));
    RateLimiter limiter = strict(store(proxy.url(), 0), LOG);
    spendAll(limiter);
    try (CapturedLog log = new CapturedLog("io.weir.redis")) {
      proxy.both(Fault.STALL);
      follow(primary, other);
      lead(primary);
      awaitForgottenHistory(primary);
      proxy.heal();
      assertNothingIsLeftUntil("does not continue the history", limiter, log);
    }
  }

  private static void awaitForgottenHistory(RedisProcess server) {
    Await.holds(
        "it has no former id, and no history that it could hand on",
        () ->
            server.info("replication", "master_replid2").matches("0+")
                && server.info("replication", "repl_backlog_active").equals("0"));
  }

  @Test
  void refusesAfterEvictionIsEnabled() {
    RateLimiter limiter = strict(store(primary.url(), 0), LOG);
    for (int i = 0; i < 20; i++) {
      primary.call("SET", "ballast" + i, "x".repeat(200_000), "EX", "86400");
    }
    spendAll(limiter);
    try (CapturedLog log = new CapturedLog("io.weir.redis")) {
      long used = Long.parseLong(primary.info("memory", "used_memory"));
      primary.call("CONFIG", "SET", "maxmemory-samples", "64");
      primary.call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
      primary.call("CONFIG", "SET", "maxmemory", Long.toString(used - 100_000));
      assertThat(primary.info("stats", "evicted_keys")).isNotEqualTo("0");
      assertNothingIsLeftUntil("keys", limiter, log);
    }
  }

  /** Its own clock steps with that of Redis, as on one host. */
  @Test
  @EnabledIf("isClockThere")
  void newNodeBetweenAClockStepAndItsMarkGrantsNothing() {
    RateLimiter limiter = strict(store(primary.url(), 0), LOG);
    spendAll(limiter);
    step(HOUR);
    TimeSource ahead = () -> System.currentTimeMillis() * 1_000_000 + HOUR.toNanos();
    RedisSettings settings = RedisSettings.parse(primary.url() + parameters(0));
    RateLimiter newcomer = strict(opened(RedisStore.open(settings, ahead)), LOG);
    assertNothingIsLeftFor(Duration.ofSeconds(3), newcomer);
    assertNothingIsLeft(limiter);
  }

  enum Algorithm {
    SLIDING_LOG(LOG),
    TOKEN_BUCKET(Limit.tokenBucket(ALL).per(WINDOW)),
    FIXED_WINDOW(Limit.fixedWindow(ALL).per(LONGER)),
    SLIDING_WINDOW(Limit.slidingWindow(ALL).per(LONGER)),
    SLIDING_EPOCHS(Limit.slidingEpochs(ALL).per(WINDOW));

    private final Limit limit;

    Algorithm(Limit limit) {
      this.limit = limit;
    }
  }

  /** Between two reads of the clock: keys expire by a time that no node has seen. */
  @ParameterizedTest
  @EnumSource
  @EnabledIf("isClockThere")
  void refusesAfterAClockStepForthAndBack(Algorithm algorithm) {
    RateLimiter limiter = strict(store(primary.url(), 0), algorithm.limit);
    Await.holds(
        "no edge is near",
        () -> System.currentTimeMillis() % LONGER.toMillis() < LONGER.toMillis() - 10_000);
    spendAll(limiter);
    step(Duration.ofMinutes(50));
    primary.call("SCAN", "0", "COUNT", "1000"); // whatever is over is forgotten by that
    step(Duration.ofMinutes(-50));
    assertNothingIsLeftFor(Duration.ofMillis(1500), limiter);
  }

  /** It costs one window after each step, however far the clock went. */
  @Test
  @EnabledIf("isClockThere")
  void refusesAfterALateClockStepBack() {
    RateLimiter limiter =
        strict(store(primary.url(), 0), Limit.slidingLog(ALL).per(Duration.ofSeconds(2)));
    for (Duration step : List.of(Duration.ZERO, HOUR, HOUR.negated())) {
      try (CapturedLog log = new CapturedLog("io.weir.redis")) {
        step(step);
        if (!step.isZero()) {
          log.awaitWarning("its clock has gone ");
        }
        Await.holds(
            "it grants after " + step, () -> limiter.tryAcquire("user" + users.incrementAndGet()));
      }
    }
  }

  /** What reads along, and acknowledges, keeps nothing and is never promoted. */
  @Test
  void ignoresAcknowledgementOfANonReplica() {
    RedisProcess replica = replica();
    RedisStore store = store(primary.url(), 1);
    RateLimiter limiter = strict(store, LOG);
    Await.holds("it grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    opened(new FakeReplica(primary));
    Await.holds("it is taken for a replica", () -> FakeReplica.isTaken(primary));
    replica.suspend();
    MissingReplica.awaitRefusals(store, () -> limiter.tryAcquire("user" + users.incrementAndGet()));
    replica.resume();
    Await.holds(
        "it grants what the replica has",
        () -> limiter.tryAcquire("user" + users.incrementAndGet()));
  }
}
