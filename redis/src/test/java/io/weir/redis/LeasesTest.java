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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is leased, when it is spent, and where it goes otherwise; in virtual time. */
@Timeout(120)
class LeasesTest {
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** How much longer a log waits for a call that reports the rest. */
  private static final Duration AWAITED = LEASE.dividedBy(8);

  private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:10Z"));
  private final RedisProcess redis = SharedRedis.empty();
  private final List<RedisStore> stores = new ArrayList<>();

  @AfterEach
  void close() {
    stores.forEach(RedisStore::close);
  }

  private RedisStore store(String parameters) {
    String lease = parameters.contains("lease") ? "" : "lease=1s&";
    RedisSettings settings = RedisSuite.patient(redis.url() + "?" + lease + parameters);
    RedisStore store = RedisStore.open(settings, Clock.given(time), new ManualTimer(0));
    stores.add(store);
    return store;
  }

  private static RateLimiter limiter(RedisStore store, Limit... limits) {
    RateLimiter.Builder builder =
        RateLimiter.builder().name("leases").store(store).onFailure(OnFailure.DENY);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.consistency(Consistency.LEASED).build();
  }

  /** All with leases of a second, and none of them with an edge within it. */
  static Stream<Limit> limits() {
    return Stream.of(
        Limit.tokenBucket(1000).perMinute(),
        Limit.fixedWindow(1000).perMinute(),
        Limit.slidingWindow(1000).perMinute(),
        Limit.slidingEpochs(1000).perMinute(),
        Limit.slidingLog(1000).perMinute());
  }

  private void pass(Duration duration) {
    time.advance(duration);
  }

  /** Checks until some permits are leased, and returns how often. */
  private static int untilLeased(RateLimiter limiter, String key) {
    int checks = 1;
    while (limiter.check(key).origin() != Origin.LEASE) {
      assertThat(++checks).isLessThan(10);
    }
    return checks;
  }

  private static void sweep(RedisStore store) {
    store.leaseManager().sweepAll();
    Await.holds("all is given back", store.leaseManager()::isQuiet);
  }

  @Test
  void aThousandBusyKeysNeedFewCalls() {
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, Limit.tokenBucket(1_000_000).perSecond());
    long before = store.status().calls();
    int checks = 0;
    for (int round = 0; round < 400; round++) {
      pass(Duration.ofNanos(500_000));
      for (int key = 0; key < 1000; key++) {
        assertThat(limiter.tryAcquire("key" + key)).isTrue();
        checks++;
      }
      if (round % 50 == 0) {
        sweep(store);
      }
    }
    assertThat((store.status().calls() - before) / (double) checks).isLessThan(0.05);
    assertThat(store.status().decisions().get(Origin.LEASE)).isGreaterThan(checks * 9L / 10);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void leasesGrantExactlyTheLimit(Limit limit) {
    RateLimiter limiter = limiter(store(""), limit);
    int granted = 0;
    while (limiter.check("key").allowed()) {
      granted++;
    }
    // What flows into a bucket within a lease is counted as if it had flowed over.
    long inALease = limit instanceof Limit.TokenBucket ? 16 : 0;
    assertThat(granted).isEqualTo(1000 - inALease);
    assertThat(limiter.check("key").retryAfter().orElseThrow())
        .isLessThanOrEqualTo(Duration.ofSeconds(61));
  }

  @Test
  void coldKeysAndSmallLimitsAreCheckedExactly() {
    RedisStore store = store("");
    RateLimiter cold = limiter(store, Limit.slidingLog(1000).perMinute());
    for (int i = 0; i < 20; i++) {
      assertThat(cold.check("cold").origin()).isEqualTo(Origin.STORE);
      pass(Duration.ofMillis(800));
    }
    RateLimiter small = limiter(store, Limit.slidingLog(4).perHour());
    for (int i = 3; i >= 0; i--) {
      Decision decision = small.check("small");
      assertThat(decision.origin()).isEqualTo(Origin.STORE);
      assertThat(decision.remaining()).isEqualTo(i);
    }
    assertThat(small.check("small").allowed()).isFalse();
  }

  @Test
  void nothingIsLeasedUnlessWanted() {
    RateLimiter unleased = limiter(store("lease=0ms"), Limit.slidingLog(1000).perMinute());
    RateLimiter exact =
        RateLimiter.builder()
            .name("leases")
            .limit(Limit.slidingLog(1000).perMinute())
            .store(store(""))
            .build();
    for (int i = 0; i < 20; i++) {
      assertThat(unleased.check("key").origin()).isEqualTo(Origin.STORE);
      assertThat(exact.check("key").origin()).isEqualTo(Origin.STORE);
    }
  }

  @Test
  void nodesShareTheEndOfABudget() {
    RateLimiter one = limiter(store("nodes=2"), Limit.slidingLog(1000).perHour());
    RateLimiter other = limiter(store("nodes=2"), Limit.slidingLog(1000).perHour());
    int ofOne = 0;
    int ofOther = 0;
    for (int i = 0; i < 1200; i++) {
      pass(Duration.ofNanos(100_000));
      ofOne += one.check("key").allowed() ? 1 : 0;
      ofOther += other.check("key").allowed() ? 1 : 0;
    }
    assertThat(ofOne + ofOther).isEqualTo(1000);
    assertThat(ofOne).isBetween(400, 600);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void aLeaseIsNotUsedWhenItIsOver(Limit limit) {
    RateLimiter limiter = limiter(store(""), limit);
    untilLeased(limiter, "key");
    pass(LEASE.minusMillis(3));
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.LEASE);
    pass(Duration.ofMillis(1));
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
  }

  /** The window ends at 12:01, two tenths of a second from then. */
  @Test
  void noLeaseCrossesTheEdgeOfAWindow() {
    RateLimiter limiter = limiter(store(""), Limit.fixedWindow(1000).perMinute());
    time.set(Instant.parse("2026-11-15T12:00:59.800Z"));
    untilLeased(limiter, "key");
    pass(Duration.ofMillis(198));
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.LEASE);
    pass(Duration.ofMillis(1));
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
    for (int i = 0; i < 20; i++) {
      assertThat(limiter.check("key").origin()).as("too short a lease").isEqualTo(Origin.STORE);
    }
  }

  @ParameterizedTest
  @MethodSource("limits")
  void whatIsLeftIsGivenBack(Limit limit) {
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, limit);
    long spent = limiter.check("key", 200).cost();
    spent += untilLeased(limiter, "key");
    long leased = 1000 - spent - other(limit).peek("key").remaining();
    assertThat(leased).isGreaterThanOrEqualTo(3);
    pass(LEASE);
    if (limit instanceof Limit.SlidingLog) {
      pass(AWAITED);
    }
    sweep(store);
    long flown = limit instanceof Limit.TokenBucket ? 16 : 0;
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000 - spent + flown);
    sweep(store);
    assertThat(other(limit).peek("key").remaining()).isEqualTo(1000 - spent + flown);
  }

  /** What others were moved ahead by since must not be taken back. */
  @Test
  void aBucketTakesBackItsLastChargeOnly() {
    Limit limit = Limit.tokenBucket(1000).perMinute();
    RedisStore one = store("");
    untilLeased(limiter(one, limit), "key");
    pass(LEASE.dividedBy(2));
    RedisStore two = store("");
    untilLeased(limiter(two, limit), "key");
    pass(LEASE.dividedBy(2));
    RateLimiter other = other(limit);
    long before = other.peek("key").remaining();
    sweep(one);
    assertThat(other.peek("key").remaining()).isEqualTo(before);
    pass(LEASE.dividedBy(2));
    before = other.peek("key").remaining();
    sweep(two);
    assertThat(other.peek("key").remaining()).isGreaterThan(before);
  }

  private RateLimiter other(Limit limit) {
    return limiter(store("lease=0ms"), limit);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void aStoreThatIsClosedGivesBack(Limit limit) {
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, limit);
    int spent = 200 + untilLeasedAfter(limiter, 200);
    RateLimiter other = other(limit);
    assertThat(other.peek("key").remaining()).isLessThan(1000 - spent);
    store.close();
    assertThat(other.peek("key").remaining()).isEqualTo(1000 - spent);
  }

  private static int untilLeasedAfter(RateLimiter limiter, long cost) {
    limiter.check("key", cost);
    return untilLeased(limiter, "key");
  }

  @ParameterizedTest
  @MethodSource("limits")
  void peekAddsLeasedPermitsToThoseInRedis(Limit limit) {
    RateLimiter limiter = limiter(store(""), limit);
    int spent = 200 + untilLeasedAfter(limiter, 200);
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000 - spent);
    assertThat(other(limit).peek("key").remaining()).isLessThan(1000 - spent);
    Decision known = limiter.check("key");
    assertThat(known.origin()).isEqualTo(Origin.LEASE);
    assertThat(known.remaining()).isEqualTo(1000 - spent - 1);
  }

  @Test
  void aResetForgetsWhatIsLeased() {
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, Limit.fixedWindow(1000).perMinute());
    untilLeased(limiter, "key");
    limiter.reset("key");
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000);
    assertThat(limiter.check("key", 5).origin()).isEqualTo(Origin.STORE);
    pass(LEASE);
    sweep(store);
    assertThat(limiter.peek("key").remaining()).as("nothing given back").isEqualTo(995);
  }

  @Test
  void whatIsTakenOfALeaseGoesBackThereWhileItLives() {
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, Limit.slidingLog(1000).perMinute());
    int spent = untilLeased(limiter, "key");
    spent += untilLeased(limiter, "key");
    spent += untilLeased(limiter, "key");
    Receipts first = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 2)));
    assertThat(first.together().origin()).isEqualTo(Origin.LEASE);
    long calls = store.status().calls();
    first.cancel();
    assertThat(store.status().calls()).isEqualTo(calls);
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000 - spent);

    Receipts second = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 2)));
    assertThat(second.together().origin()).isEqualTo(Origin.LEASE);
    pass(LEASE.plus(AWAITED));
    sweep(store);
    second.settle(i -> 1);
    assertThat(other(Limit.slidingLog(1000).perMinute()).peek("key").remaining())
        .isEqualTo(1000 - spent - 1);
  }

  /** Leases of 30 seconds, of which all is spent within three; the next call reports that. */
  @Test
  void aLogFreesThePlaceOfWhatWasLeasedAMinuteAfterItWasSpent() {
    Limit limit = Limit.slidingLog(100).perMinute();
    RedisStore store = store("lease=30s");
    RateLimiter limiter = limiter(store, limit);
    RateLimiter other = other(limit);
    for (int i = 0; i < 60; i++) {
      assertThat(limiter.check("key").allowed()).isTrue();
      pass(Duration.ofMillis(50));
    }
    assertThat(store.status().decisions().get(Origin.LEASE)).isGreaterThan(20);
    pass(Duration.ofSeconds(31));
    limiter.check("key");
    assertThat(other.peek("key").remaining()).isLessThan(40);
    pass(Duration.ofSeconds(33)); // a minute and an eighth of a lease after the last of the sixty
    assertThat(other.peek("key").remaining()).as("but for a new lease").isGreaterThan(80);
  }

  /** While one node holds a lease, what the other is granted is charged at once. */
  @Test
  void chargesBesideALeaseAreCountedOnce() {
    Limit limit = Limit.slidingLog(100).perMinute();
    RateLimiter holder = limiter(store("lease=30s"), limit);
    int spent = untilLeased(holder, "key");
    RateLimiter other = other(limit);
    long before = other.peek("key").remaining();
    assertThat(before).isLessThan(100 - spent);
    assertThat(other.check("key", 20).allowed()).isTrue();
    pass(Duration.ofSeconds(60));
    assertThat(other.peek("key").remaining()).as("but for the lease").isGreaterThanOrEqualTo(90);
  }

  /** The lease is closed by another call, and its uses moved: there they are found. */
  @Test
  void whatWasTakenOfALogsLeaseGoesBackAfterItWasMoved() {
    Limit limit = Limit.slidingLog(1000).perMinute();
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, limit);
    for (int i = 0; i < 3; i++) {
      untilLeased(limiter, "key");
    }
    pass(Duration.ofMillis(300));
    Receipts taken = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 2)));
    assertThat(taken.together().origin()).isEqualTo(Origin.LEASE);
    pass(LEASE.multipliedBy(2));
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
    long before = limiter.peek("key").remaining();
    taken.cancel();
    assertThat(limiter.peek("key").remaining()).isEqualTo(before + 2);
    pass(Duration.ofSeconds(62));
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000);
  }

  /** The rest of a lease is reported with the next call, and needs none of its own. */
  @Test
  void theNextCallGivesBackWhatIsLeftToALog() {
    Limit limit = Limit.slidingLog(1000).perMinute();
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, limit);
    int spent = untilLeased(limiter, "key");
    pass(LEASE);
    long calls = store.status().calls();
    assertThat(limiter.check("key", 500).origin()).isEqualTo(Origin.STORE);
    assertThat(store.status().calls()).isEqualTo(calls + 1);
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000 - spent - 500);
    assertThat(other(limit).peek("key").remaining()).isLessThanOrEqualTo(1000 - spent - 500);
  }

  @Test
  void aCostThatALeaseCannotCoverGoesToRedisAndTheLeaseStays() {
    RateLimiter limiter = limiter(store(""), Limit.slidingLog(1000).perMinute());
    untilLeased(limiter, "key");
    Decision large = limiter.check("key", 500);
    assertThat(large.origin()).isEqualTo(Origin.STORE);
    assertThat(large.allowed()).isTrue();
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.LEASE);
  }

  @Test
  void whatIsLeasedIsSpentAlsoWhileRedisIsAway() {
    try (RedisProcess own = RedisProcess.start()) {
      RedisSettings settings = RedisSuite.patient(own.url());
      RedisStore store = RedisStore.open(settings, Clock.given(time), new ManualTimer(0));
      stores.add(store);
      RateLimiter limiter = limiter(store, Limit.slidingLog(1000).perMinute());
      untilLeased(limiter, "key");
      own.close();
      int leased = 0;
      Decision decision = limiter.check("key");
      while (decision.origin() == Origin.LEASE) {
        leased++;
        decision = limiter.check("key");
      }
      assertThat(leased).isBetween(1, 20);
      assertThat(decision.origin()).isEqualTo(Origin.FAILURE);
      assertThat(decision.allowed()).isFalse();
    }
  }

  @Test
  void otherLimitsEndAllLeases() {
    RedisStore store = store("");
    RateLimiter limiter = limiter(store, Limit.slidingLog(1000).perMinute());
    untilLeased(limiter, "key");
    limiter.reconfigure(Limit.slidingLog(500).perMinute());
    assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
  }

  @Test
  void onceExactNothingIsLeasedAndTheRestIsGivenBack() {
    RedisStore store = store("");
    Limit limit = Limit.slidingLog(1000).perMinute();
    RateLimiter limiter = limiter(store, limit);
    int spent = untilLeased(limiter, "key");
    limiter.beginReconfigure(List.of(limit), OnFailure.DENY, Consistency.EXACT).run();
    Await.holds("all is given back", store.leaseManager()::isQuiet);
    assertThat(limiter.peek("key").remaining()).isEqualTo(1000 - spent);
    for (int i = 0; i < 20; i++) {
      assertThat(limiter.check("key").origin()).isEqualTo(Origin.STORE);
    }
  }

  /** The reported remaining never grows within a lease, and the window's end stays where it is. */
  @Test
  void decisionsFromALeaseReportRemaining() {
    RateLimiter limiter = limiter(store(""), Limit.fixedWindow(1000).perMinute());
    int spent = untilLeased(limiter, "key");
    for (int i = 0; i < 500; i++) {
      Decision decision = limiter.check("key");
      assertThat(decision.remaining()).isEqualTo(1000 - ++spent);
      assertThat(decision.resetAfter()).isEqualTo(untilWindowEnds());
      assertThat(decision.time().toEpochMilli())
          .isEqualTo(Math.floorDiv(time.epochNanos(), 1_000_000L));
      pass(Duration.ofNanos(300_000));
    }
  }

  private Duration untilWindowEnds() {
    long minute = Duration.ofMinutes(1).toMillis();
    return Duration.ofMillis(minute - Math.floorDiv(time.epochNanos(), 1_000_000L) % minute);
  }
}
