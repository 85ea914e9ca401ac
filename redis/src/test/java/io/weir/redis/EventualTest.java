package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Charge;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Receipts;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import io.weir.tck.MixedLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that decide locally and exchange their grants, in virtual time and when the test says. */
@Timeout(120)
class EventualTest {
  private static final Limit BUCKET = Limit.tokenBucket(1000).perHour();

  private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:10Z"));
  private final RedisProcess redis = SharedRedis.empty();
  private final List<RedisStore> stores = new ArrayList<>();

  @AfterEach
  void close() {
    stores.forEach(RedisStore::close);
  }

  private RedisStore store() {
    RedisStore store = connected(redis);
    stores.add(store);
    return store;
  }

  private RedisStore connected(RedisProcess to) {
    RedisStore store =
        RedisStore.open(RedisSuite.patient(to.url()), Clock.given(time), new NoTimer());
    Await.holds("connected", () -> store.health().isWell());
    return store;
  }

  private RateLimiter.Builder builder(RedisStore store, Limit... limits) {
    RateLimiter.Builder builder =
        RateLimiter.builder()
            .name("eventual")
            .store(store)
            .time(time)
            .onFailure(OnFailure.DENY)
            .consistency(Consistency.EVENTUAL);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder;
  }

  private RateLimiter node(Limit... limits) {
    return builder(store(), limits).build();
  }

  private static void take(RateLimiter limiter, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(limiter.tryAcquire("key")).isTrue();
    }
  }

  /** Every node sends its unsent grants, and receives those that the others have sent before. */
  private void sync() {
    for (RedisStore store : stores) {
      awaitQuiet(store);
      store.syncManager().flush();
      awaitQuiet(store);
    }
  }

  private static void awaitQuiet(RedisStore store) {
    Await.holds("no message is under way", store.syncManager()::isQuiet);
  }

  /** Lets time pass, but not for messages in progress: a late reply is handled at once. */
  private void pass(Duration duration) {
    stores.forEach(EventualTest::awaitQuiet);
    time.advance(duration);
  }

  private static long left(RateLimiter limiter) {
    return limiter.peek("key").remaining();
  }

  /** What a node has left that has just come, after one permit of its own. */
  private long leftToANewNode(Limit... limits) {
    RateLimiter fresh = node(limits);
    take(fresh, 1);
    sync();
    return left(fresh);
  }

  static Stream<Limit> limits() {
    return Stream.of(
        BUCKET,
        Limit.fixedWindow(1000).perHour(),
        Limit.fixedWindow(1000).perDay(),
        Limit.slidingWindow(1000).perHour(),
        Limit.slidingEpochs(1000).perHour(),
        Limit.slidingLog(1000).perHour());
  }

  @ParameterizedTest
  @MethodSource("limits")
  void newNodeLearnsAllEarlierGrants(Limit limit) {
    RateLimiter early = node(limit);
    take(early, 30);
    sync();
    RateLimiter late = node(limit);
    assertThat(left(late)).isEqualTo(1000);
    take(late, 1);
    sync();
    assertThat(left(late)).isEqualTo(969);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void nodesLearnGrantsOfEachOther(Limit limit) {
    RateLimiter one = node(limit);
    RateLimiter other = node(limit);
    for (int round = 0; round < 5; round++) {
      take(one, 10);
      take(other, 20);
      sync();
    }
    take(one, 1);
    take(other, 1);
    sync();
    assertThat(left(one)).isEqualTo(849);
    assertThat(left(other)).isEqualTo(848);
  }

  @Test
  void nodesLearnGrantsOfEachOtherUnderALimitOfOne() {
    Limit one = Limit.tokenBucket(1).perSecond();
    RateLimiter first = node(one);
    RateLimiter second = node(one);
    take(first, 1);
    sync();
    take(second, 1);
    sync();
    pass(Duration.ofSeconds(1));
    assertThat(left(first)).isEqualTo(1);
    assertThat(left(second)).isZero();
    take(first, 1);
    sync();
    pass(Duration.ofSeconds(1));
    assertThat(left(first)).isZero();
    assertThat(left(second)).isEqualTo(1);
  }

  @Test
  void countsOwnGrantsOnceHoweverLateTheySync() {
    Limit second = Limit.slidingLog(10).perSecond();
    RateLimiter alone = node(second);
    for (int window = 0; window < 5; window++) {
      take(alone, 10);
      assertThat(alone.tryAcquire("key")).isFalse();
      pass(Duration.ofMillis(900));
      sync();
      pass(Duration.ofMillis(100));
    }
  }

  @Test
  void eachLimitSyncsItsOwnGrants() {
    Limit[] both = {Limit.slidingLog(10).perSecond(), Limit.slidingLog(100).perHour()};
    RateLimiter one = node(both);
    take(one, 10);
    sync();
    pass(Duration.ofSeconds(1));
    take(one, 4);
    sync();
    RateLimiter other = node(both);
    take(other, 1);
    sync();
    Decision decision = other.peek("key");
    assertThat(decision.standings().get(0).remaining()).isEqualTo(5);
    assertThat(decision.standings().get(1).remaining()).isEqualTo(85);
  }

  @Test
  void whatIsTooMuchIsRememberedUntilItHasComeBack() {
    Limit log = Limit.slidingLog(10).perSecond();
    RateLimiter one = node(log);
    RateLimiter other = node(log);
    take(one, 1);
    take(other, 1);
    sync();
    pass(Duration.ofSeconds(2));
    take(one, 8);
    pass(Duration.ofMillis(500));
    take(other, 9);
    sync();
    take(one, 1);
    sync();
    pass(Duration.ofMillis(501)); // its first are gone, and nothing since
    assertThat(left(one)).isZero();
    pass(Duration.ofMillis(500));
    assertThat(left(one)).isEqualTo(10);
  }

  /** A key with few checks on this node is not refused for old grants of other nodes. */
  @ParameterizedTest
  @MethodSource("limits")
  void whatOthersGrantedLongAgoIsNotChargedAnyMore(Limit limit) {
    RateLimiter busy = node(limit);
    RateLimiter idle = node(limit);
    take(idle, 1);
    sync();
    take(busy, 900);
    sync();
    pass(Duration.ofHours(25));
    take(busy, 20);
    sync();
    take(idle, 1);
    sync();
    assertThat(left(idle)).isEqualTo(979);
  }

  @Test
  void decisionsDoNotWaitForRedis() {
    RateLimiter limiter = node(BUCKET);
    for (int i = 0; i < 1000; i++) {
      Decision decision = limiter.check("key");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.origin()).isEqualTo(Origin.MEMORY);
    }
    assertThat(limiter.check("key").allowed()).isFalse();
    assertThat(limiter.isRemote()).isFalse();
    assertThat(stores.get(0).status().decisions().get(Origin.MEMORY)).isEqualTo(1001);
    assertThat(stores.get(0).status().decisions().get(Origin.STORE)).isZero();
  }

  @Test
  void syncsIdleKeyAtItsFirstGrant() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 1);
    Await.holds("reported", () -> redis.call("GET", "weir:eventual:sum:{key}") != null);
    take(limiter, 5); // too soon after the first
    assertThat(leftToANewNode(BUCKET)).isLessThanOrEqualTo(998);
  }

  @Test
  void aResetMakesAKeyAsGoodAsNew() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 10);
    sync();
    take(limiter, 10);
    limiter.reset("key");
    assertThat(left(limiter)).isEqualTo(1000);
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(999);
    take(limiter, 1);
    sync();
    assertThat(left(limiter)).isEqualTo(998);
  }

  @Test
  void aRefundComesBackHereAndInRedis() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 10);
    limiter.refund("key", 4);
    assertThat(left(limiter)).isEqualTo(994);
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(993);
  }

  /** It may be on a thread that must not be held. */
  @Test
  void refundDoesNotBlock() {
    try (RedisProcess silent = RedisProcess.start();
        RedisStore store = connected(silent)) {
      RateLimiter limiter = builder(store, BUCKET).build();
      take(limiter, 10);
      awaitQuiet(store);
      store.syncManager().flush();
      awaitQuiet(store);
      silent.suspend();
      limiter.refund("key", 4);
      assertThat(left(limiter)).isEqualTo(994);
      assertThat(store.status().failures().get("timeout")).isZero();
      silent.resume();
      Await.holds("given back in Redis too", () -> leftInRedis(store) == 994);
    }
  }

  private long leftInRedis(RedisStore store) {
    return builder(store, BUCKET).consistency(Consistency.EXACT).build().peek("key").remaining();
  }

  @Test
  void refundBeforeSyncIsNeverSent() throws Exception {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 1);
    sync();
    take(limiter, 10);
    limiter.async().refund("key", 4).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(left(limiter)).isEqualTo(993);
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(992);
  }

  @Test
  void cancelledChargeBeforeSyncIsNeverSent() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 1);
    sync();
    take(limiter, 1);
    Receipts taken = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 7)));
    taken.cancel();
    assertThat(left(limiter)).isEqualTo(998);
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(997);
  }

  @Test
  void cancelAfterSyncRefundsLocallyOnly() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 1);
    sync();
    Receipts taken = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 7)));
    sync();
    take(limiter, 8);
    taken.cancel();
    assertThat(left(limiter)).isEqualTo(991);
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(983);
  }

  @Test
  void settlingForMoreSyncsTheDifference() {
    RateLimiter limiter = node(BUCKET);
    Receipts taken = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 7)));
    taken.settle(charge -> 20);
    assertThat(left(limiter)).isEqualTo(980);
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(979);
  }

  @Test
  void closingSyncsEveryGrant() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 1);
    sync();
    take(limiter, 29);
    stores.remove(0).close();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(969);
  }

  @Test
  void whatWasSpentIsKeptWhenTheConsistencyChanges() {
    RateLimiter limiter = node(BUCKET);
    take(limiter, 10);
    change(limiter, BUCKET, Consistency.EXACT);
    sync();
    Decision exact = limiter.check("key");
    assertThat(exact.origin()).isEqualTo(Origin.STORE);
    assertThat(exact.remaining()).isEqualTo(989);
    change(limiter, BUCKET, Consistency.EVENTUAL);
    take(limiter, 1);
    sync();
    assertThat(left(limiter)).isEqualTo(988);
  }

  /** Limits of which one counts rejected requests, for which {@code eventual} is not. */
  static Stream<MixedLimits> limitsOfTwoConsistencies() {
    return MixedLimits.fortyAndTen().stream()
        .filter(
            mixed ->
                mixed.limits().stream().map(Consistency.EVENTUAL::isFor).distinct().count() > 1);
  }

  /** As for a node that starts: it decides the first grant of a key by the whole limit. */
  @ParameterizedTest
  @MethodSource("limitsOfTwoConsistencies")
  void eachChangeFromExactToEventualGrantsAtMostOneBeforeTheFirstReply(MixedLimits mixed) {
    RateLimiter limiter = node(BUCKET);
    long granted = 0;
    int changes = 4;
    for (int i = 0; i < 2 * changes; i++) {
      Limit limit = mixed.limits().get(i % 2);
      boolean isEventual = Consistency.EVENTUAL.isFor(limit);
      change(limiter, limit, isEventual ? Consistency.EVENTUAL : Consistency.EXACT);
      sync();
      granted += limiter.tryAcquire("key") ? 1 : 0;
      sync();
      while (limiter.tryAcquire("key")) {
        granted++;
      }
      sync();
      assertThat(left(limiter)).isZero();
    }
    assertThat(granted).isBetween(40L, 40L + changes);
  }

  private static void change(RateLimiter limiter, Limit limit, Consistency consistency) {
    limiter.beginReconfigure(List.of(limit), OnFailure.DENY, consistency).run();
  }

  /** As one of other limits: what it would give back is left to time. */
  @Test
  void receiptOfAnotherConsistencyRefundsNothing() {
    RateLimiter limiter = node(BUCKET);
    Receipts eventual = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 7)));
    change(limiter, BUCKET, Consistency.EXACT);
    Receipts exact = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 5)));
    change(limiter, BUCKET, Consistency.EVENTUAL);
    eventual.cancel();
    exact.cancel();
    sync();
    assertThat(leftToANewNode(BUCKET)).isEqualTo(987);
  }

  @Test
  void otherLimitsTakeOverWhatWasSpent() {
    RateLimiter one = node(BUCKET);
    RateLimiter other = node(BUCKET);
    take(one, 10);
    take(other, 10);
    sync();
    take(one, 1);
    sync();
    Limit more = Limit.tokenBucket(2000).perHour();
    one.reconfigure(more);
    other.reconfigure(more);
    long before = left(one);
    take(other, 10);
    sync();
    take(one, 1);
    sync();
    assertThat(left(one)).isEqualTo(before - 11);
  }

  @Test
  void syncsKeysBeyondTheTable() {
    RateLimiter crowded = builder(store(), BUCKET).maxKeys(1).build();
    assertThat(crowded.tryAcquire("first")).isTrue();
    sync();
    take(crowded, 5);
    awaitQuiet(stores.get(0));
    assertThat(leftToANewNode(BUCKET)).isEqualTo(994);
  }

  @Test
  void aKeyOfWhichAllHasComeBackLeavesNothing() {
    RateLimiter limiter = node(Limit.slidingLog(10).perSecond());
    take(limiter, 3);
    sync();
    SyncManager syncManager = stores.get(0).syncManager();
    pass(Duration.ofSeconds(2));
    syncManager.sweepAll();
    assertThat(syncManager.keys()).isEqualTo(1);
    pass(Duration.ofSeconds(2));
    syncManager.sweepAll();
    assertThat(syncManager.keys()).isZero();
    take(limiter, 3);
    sync();
    assertThat(left(limiter)).isEqualTo(7);
  }

  /** Time stands still for it. */
  private static final class NoTimer implements Timer {
    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public void after(long delayNanos, Runnable task) {}

    @Override
    public void close() {}
  }
}
