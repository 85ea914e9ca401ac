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
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases that end while a call is in progress; in virtual time. */
@Timeout(120)
class LeaseEndsTest {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Limit WINDOW = Limit.fixedWindow(1000).perMinute();
  private static final Limit BUCKET = Limit.tokenBucket(1000).perMinute();

  private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:10Z"));
  private final Clock clock = Clock.given(time);
  private final RedisProcess redis = SharedRedis.empty();
  private final RespSocket socket = redis.connect();
  private final RedisStore store =
      RedisStore.open(RedisSuite.patient(redis.url() + "?lease=1s"), clock, new ManualTimer(0));
  private final ScriptPlan scriptPlan =
      ScriptPlan.leased(store.settings().prefix(), "leases", List.of(WINDOW));
  private final Leases leases =
      new Leases(store.leaseManager(), scriptPlan, store.commandSender(), store.commandSender());

  @AfterEach
  void close() {
    socket.close();
    store.close();
  }

  private RateLimiter limiter(Limit limit) {
    return RateLimiter.builder()
        .name("leases")
        .limit(limit)
        .store(store)
        .onFailure(OnFailure.DENY)
        .consistency(Consistency.LEASED)
        .build();
  }

  /** Requests one permit, and some in advance. */
  private TakeRequest takeRequest() {
    TakeRequest takeRequest = leases.takeRequest("key", 1, 1);
    while (takeRequest.more() == 0) {
      takeRequest.outcome(send(takeRequest.message(clock.micros())));
      time.advance(Duration.ofMillis(1));
      takeRequest = leases.takeRequest("key", 1, 1);
    }
    return takeRequest;
  }

  private long[] send(ScriptMessage scriptMessage) {
    return ScriptPlanStore.send(socket, scriptPlan.keys("key"), scriptMessage);
  }

  private long remaining() {
    Await.holds("all is given back", store.leaseManager()::isQuiet);
    Decision decision = scriptPlan.outcome(1, send(scriptPlan.peek(1, clock.micros()))).decision(0);
    return decision.remaining();
  }

  @Test
  void whatIsGrantedAfterTheEndIsGivenBack() {
    TakeRequest takeRequest = takeRequest();
    long before = remaining(takeRequest);
    long[] reply = send(takeRequest.message(clock.micros()));
    leases.end(true);
    takeRequest.outcome(reply);
    assertThat(remaining()).isEqualTo(before - 1);
  }

  /** Before {@code wish} was sent: it is still under way. */
  private long remaining(TakeRequest takeRequest) {
    assertThat(takeRequest.more()).isPositive();
    return scriptPlan.outcome(1, send(scriptPlan.peek(1, clock.micros()))).decision(0).remaining();
  }

  @Test
  void whatIsGrantedAfterAnEndThatLeavesItToTimeIsNotGivenBack() {
    TakeRequest takeRequest = takeRequest();
    long[] reply = send(takeRequest.message(clock.micros()));
    long after = remaining(takeRequest);
    leases.end(false);
    takeRequest.outcome(reply);
    assertThat(remaining()).isEqualTo(after);
  }

  @Test
  void whatIsGrantedAfterItsKeyWasDroppedIsNotGivenBack() {
    TakeRequest takeRequest = takeRequest();
    long[] reply = send(takeRequest.message(clock.micros()));
    long after = remaining(takeRequest);
    leases.drop("key");
    takeRequest.outcome(reply);
    assertThat(leases.unspent("key")).isZero();
    assertThat(remaining()).isEqualTo(after);
  }

  @Test
  void storeIsNotQuietWhileALeaseIsRequested() {
    TakeRequest takeRequest = takeRequest();
    assertThat(store.leaseManager().isQuiet()).isFalse();
    takeRequest.failed();
    assertThat(store.leaseManager().isQuiet()).isTrue();
  }

  @Test
  void whatWasGrantedBeforeAResetIsNotSpentAfterIt() {
    TakeRequest takeRequest = takeRequest();
    takeRequest.outcome(send(takeRequest.message(clock.micros())));
    assertThat(leases.unspent("key")).isPositive();
    send(scriptPlan.reset());
    leases.forget("key");
    assertThat(leases.unspent("key")).isZero();
    assertThat(leases.spend("key", 1)).isNull();
    time.advance(LEASE);
    leases.sweep();
    assertThat(remaining()).isEqualTo(1000);
  }

  /** What was charged since has moved the bucket to where the lease had left it. */
  @Test
  void whatWasTakenOfALeaseThatIsOverStaysTakenFromABucket() {
    RateLimiter limiter = limiter(BUCKET);
    limiter.check("key", 200);
    while (limiter.check("key").origin() != Origin.LEASE) {
      time.advance(Duration.ofMillis(1));
    }
    Receipts taken = RateLimiter.takeAll(List.of(Charge.of(limiter, "key", 2)));
    assertThat(taken.together().origin()).isEqualTo(Origin.LEASE);
    time.advance(LEASE);
    long before = inRedis();
    store.leaseManager().sweepAll();
    Await.holds("all is given back", store.leaseManager()::isQuiet);
    long rest = inRedis() - before;
    assertThat(rest).isPositive();
    assertThat(limiter.check("key", rest).origin()).isEqualTo(Origin.STORE);
    assertThat(inRedis()).isEqualTo(before);
    taken.cancel();
    assertThat(inRedis()).isEqualTo(before);
  }

  private long inRedis() {
    ScriptPlan bucket = ScriptPlan.leased(store.settings().prefix(), "leases", List.of(BUCKET));
    long[] reply = ScriptPlanStore.send(socket, bucket.keys("key"), bucket.peek(1, clock.micros()));
    return bucket.outcome(1, reply).decision(0).remaining();
  }
}
