package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Buckets;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The messages of a node, in virtual time; the test replies to each call. */
@Timeout(60)
class CounterSyncTest {
  private static final List<Limit> HOUR = List.of(Limit.tokenBucket(1000).perHour());
  private static final List<Limit> SECOND = List.of(Limit.tokenBucket(10).perSecond());
  private static final RedisFailure FULL =
      new RedisFailure(RedisFailure.Kind.OUT_OF_MEMORY, "full");
  private static final long BEGINNING = Instant.parse("2026-11-16T12:00:00Z").getEpochSecond();

  private final ManualTimer timer = new ManualTimer(Long.MAX_VALUE - 1000);
  private final TimeSource time = () -> BEGINNING * 1_000_000_000 + timer.elapsed().toNanos();
  private final Deadlines deadlines = Deadlines.byHand(Duration.ofMinutes(5));
  private final HeldLink link = new HeldLink();
  private final RedisCounters redisCounters = new RedisCounters();
  private final SyncManager syncManager =
      new SyncManager(
          RedisSettings.of("nowhere", 1),
          new CommandSender(link, deadlines, redisCounters),
          Clock.given(time, timer::nanoTime),
          redisCounters,
          timer,
          timer);
  private Buckets local = Store.memory().open(blueprint(HOUR));

  @AfterEach
  void close() {
    deadlines.close();
  }

  private Store.LimiterSpec blueprint(List<Limit> limits) {
    return new Store.LimiterSpec("accounts", limits, limits, 1000, time, OnFailure.DENY);
  }

  private CounterSync accounts(List<Limit> limits) {
    local = Store.memory().open(blueprint(limits));
    return new CounterSync(syncManager, plan(limits), local, 100_000);
  }

  private static ScriptPlan plan(List<Limit> limits) {
    return ScriptPlan.eventual("test", "accounts", limits);
  }

  private void pass(Duration duration) {
    timer.moveTo(timer.elapsed().plus(duration));
  }

  private long lost() {
    return redisCounters.snapshot(List.of(), 1).lost();
  }

  @Test
  void grantDuringRemovalOfItsCounterStartsANewOne() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      CounterSync counterSync = accounts(HOUR);
      counterSync.granted("key", 1);
      link.replyFrom(redis);
      UnsyncedGrants ended = counterSync.known("key");
      assertThat(ended.drop()).isTrue();
      counterSync.granted("key", 2);
      assertThat(counterSync.known("key")).isNotNull().isNotSameAs(ended);
      assertThat(link.scriptCalls).hasSize(1);
    }
  }

  @Test
  void keyBeyondTheTableIsSyncedAtMostOnce() {
    CounterSync counterSync = accounts(HOUR);
    counterSync.granted("k".repeat(257), 1);
    link.fail();
    pass(Duration.ofHours(1));
    assertThat(link.sent).isEqualTo(1);
    assertThat(timer.pending()).isZero();
    assertThat(lost()).isEqualTo(1);
  }

  @Test
  void retriesFailedSyncWithGrowingIntervals() {
    link.isBroken = true;
    CounterSync counterSync = accounts(HOUR);
    counterSync.granted("key", 1);
    pass(Duration.ofMinutes(1));
    assertThat(link.sent).isBetween(5, 15);
    pass(Duration.ofMinutes(1));
    assertThat(link.sent).isBetween(10, 20);
  }

  @Test
  void checkOfAnUnsyncedKeyTriggersARetry() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      link.isBroken = true;
      CounterSync counterSync = accounts(HOUR);
      counterSync.granted("key", 1);
      pass(Duration.ofMinutes(1));
      link.isBroken = false;
      pass(Duration.ofMillis(100));
      int before = link.sent;
      for (int i = 0; i < 5; i++) {
        assertThat(counterSync.isCutOff("key")).isTrue();
      }
      assertThat(link.sent).isEqualTo(before + 1);
      link.replyFrom(redis);
      assertThat(counterSync.isCutOff("key")).isFalse();
      pass(Duration.ofMinutes(1));
      assertThat(link.sent).as("nothing is left to be sent").isEqualTo(before + 1);
    }
  }

  @Test
  void dropsUnsyncedGrantsOnceTheyHaveExpired() {
    link.isBroken = true;
    CounterSync counterSync = accounts(SECOND);
    counterSync.granted("key", 5);
    pass(Duration.ofMinutes(1));
    assertThat(counterSync.keys()).isZero();
    assertThat(timer.pending()).isZero();
    assertThat(lost()).isEqualTo(1);
  }

  @Test
  void keyDroppedDuringAFailureIsNotCutOff() {
    CounterSync counterSync = accounts(HOUR);
    counterSync.granted("key", 1);
    link.fail();
    pass(Duration.ofMillis(100));
    counterSync.forget("key");
    link.fail();
    assertThat(counterSync.isCutOff("key")).isFalse();
  }

  @Test
  void aKeyOfWhichAllWasTakenBackIsNotCutOff() {
    UnsyncedGrants unsyncedGrants = new UnsyncedGrants("key", true, 0);
    unsyncedGrants.add(1);
    for (int i = 0; i < 2; i++) {
      assertThat(unsyncedGrants.departs()).isTrue();
      unsyncedGrants.failed(unsyncedGrants.message(i), i, 1000);
      unsyncedGrants.takeBack(i);
      unsyncedGrants.goOn();
    }
    assertThat(unsyncedGrants.isCutOff()).isFalse();
  }

  @Test
  void learnsGrantsOfOtherNodesDuringAChangeOfLimits() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      CounterSync counterSync = accounts(HOUR);
      counterSync.granted("key", 1);
      link.replyFrom(redis);
      others(redis, 10);
      pass(Duration.ofMillis(100));
      counterSync.granted("key", 1);
      counterSync.changeTo(plan(HOUR));
      link.replyFrom(redis);
      assertThat(local.peek("key", 1).remaining()).isEqualTo(1000);
      pass(Duration.ofMillis(100));
      counterSync.granted("key", 1);
      link.replyFrom(redis);
      assertThat(local.peek("key", 1).remaining()).isEqualTo(990);
    }
  }

  @Test
  void newNodeLearnsEarlierGrantsDuringAChangeOfLimits() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      others(redis, 10);
      CounterSync counterSync = accounts(HOUR);
      counterSync.granted("key", 1);
      counterSync.changeTo(plan(HOUR));
      link.replyFrom(redis);
      pass(Duration.ofMillis(100));
      counterSync.granted("key", 1);
      link.replyFrom(redis);
      assertThat(local.peek("key", 1).remaining()).isEqualTo(990);
    }
  }

  private void others(RespSocket redis, long permits) {
    ScriptPlan scriptPlan = plan(HOUR);
    long micros = time.epochNanos() / 1000;
    ScriptPlanStore.send(
        redis, scriptPlan.keys("key"), scriptPlan.reportGrants(permits, 10_000_000_000L, micros));
  }

  @Test
  void boundsMessagesInFlight() {
    CounterSync counterSync = accounts(HOUR);
    for (int i = 0; i < 10_100; i++) {
      counterSync.granted("key" + i, 1);
    }
    assertThat(link.sent).isEqualTo(10_000);
    pass(Duration.ofMillis(100));
    assertThat(link.sent).isEqualTo(10_000);
    try (RespSocket redis = SharedRedis.empty().connect()) {
      for (int i = 0; i < 100; i++) {
        link.replyFrom(redis);
      }
    }
    pass(Duration.ofMillis(100));
    assertThat(link.sent).isEqualTo(10_100);
  }

  /** Holds what is sent. */
  private static final class HeldLink extends OneGateTransport {
    private final Queue<ScriptCall> scriptCalls = new ArrayDeque<>();
    private boolean isBroken;
    private int sent;

    HeldLink() {
      super(new SwitchableBreaker());
    }

    @Override
    public void send(ScriptCall scriptCall) {
      sent++;
      scriptCall.departs();
      if (isBroken) {
        scriptCall.fail(FULL);
      } else {
        scriptCalls.add(scriptCall);
      }
    }

    void fail() {
      scriptCalls.remove().fail(FULL);
    }

    void replyFrom(RespSocket redis) {
      ScriptCall scriptCall = scriptCalls.remove();
      scriptCall.complete(
          ScriptPlanStore.send(
              redis, scriptCall.keys(), new ScriptMessage(scriptCall.script(), scriptCall.args())));
    }
  }
}
