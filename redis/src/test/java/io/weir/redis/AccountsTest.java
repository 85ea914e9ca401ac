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

/** What a node has to tell, in virtual time, by a link whose every call the test answers. */
@Timeout(60)
class AccountsTest {
  private static final List<Limit> HOUR = List.of(Limit.tokenBucket(1000).perHour());
  private static final List<Limit> SECOND = List.of(Limit.tokenBucket(10).perSecond());
  private static final Failure FULL = new Failure(Failure.Kind.OUT_OF_MEMORY, "full");
  private static final long BEGINNING = Instant.parse("2026-11-16T12:00:00Z").getEpochSecond();

  private final ManualTimer timer = new ManualTimer(Long.MAX_VALUE - 1000);
  private final TimeSource time = () -> BEGINNING * 1_000_000_000 + timer.elapsed().toNanos();
  private final Deadlines deadlines = Deadlines.byHand(Duration.ofMinutes(5));
  private final HeldLink link = new HeldLink();
  private final Counters counters = new Counters();
  private final AccountDesk desk =
      new AccountDesk(
          RedisSettings.of("nowhere", 1),
          new Desk(link, deadlines, counters),
          Clock.given(time, timer::nanoTime),
          counters,
          timer,
          timer);
  private Buckets local = Store.memory().open(blueprint(HOUR));

  @AfterEach
  void close() {
    deadlines.close();
  }

  private Store.Blueprint blueprint(List<Limit> limits) {
    return new Store.Blueprint("accounts", limits, limits, 1000, time, OnFailure.DENY);
  }

  private Accounts accounts(List<Limit> limits) {
    local = Store.memory().open(blueprint(limits));
    return new Accounts(desk, plan(limits), local, 100_000);
  }

  private static Plan plan(List<Limit> limits) {
    return Plan.told("test", "accounts", limits);
  }

  private void pass(Duration duration) {
    timer.moveTo(timer.elapsed().plus(duration));
  }

  private long lost() {
    return counters.snapshot(List.of(), 1).lost();
  }

  @Test
  void aGrantThatComesBetweenTheEndOfAnAccountAndItsRemovalIsAnothers() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      Accounts accounts = accounts(HOUR);
      accounts.granted("key", 1);
      link.answerFrom(redis);
      Account ended = accounts.known("key");
      assertThat(ended.drop()).isTrue();
      accounts.granted("key", 2);
      assertThat(accounts.known("key")).isNotNull().isNotSameAs(ended);
      assertThat(link.calls).hasSize(1);
    }
  }

  @Test
  void aKeyWithoutAPlaceIsToldOfOnceOrNotAtAll() {
    Accounts accounts = accounts(HOUR);
    accounts.granted("k".repeat(257), 1);
    link.fail();
    pass(Duration.ofHours(1));
    assertThat(link.sent).isEqualTo(1);
    assertThat(timer.pending()).isZero();
    assertThat(lost()).isEqualTo(1);
  }

  @Test
  void whatCannotBeToldIsTriedMoreAndMoreSeldom() {
    link.isBroken = true;
    Accounts accounts = accounts(HOUR);
    accounts.granted("key", 1);
    pass(Duration.ofMinutes(1));
    assertThat(link.sent).isBetween(5, 15);
    pass(Duration.ofMinutes(1));
    assertThat(link.sent).isBetween(10, 20);
  }

  @Test
  void whoAsksForAKeyThatIsCutOffHasItTriedAgainSoon() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      link.isBroken = true;
      Accounts accounts = accounts(HOUR);
      accounts.granted("key", 1);
      pass(Duration.ofMinutes(1));
      link.isBroken = false;
      pass(Duration.ofMillis(100));
      int before = link.sent;
      for (int i = 0; i < 5; i++) {
        assertThat(accounts.isCutOff("key")).isTrue();
      }
      assertThat(link.sent).isEqualTo(before + 1);
      link.answerFrom(redis);
      assertThat(accounts.isCutOff("key")).isFalse();
      pass(Duration.ofMinutes(1));
      assertThat(link.sent).as("nothing is left to be told").isEqualTo(before + 1);
    }
  }

  @Test
  void whatCouldNotBeToldUntilItHasComeBackIsLetGo() {
    link.isBroken = true;
    Accounts accounts = accounts(SECOND);
    accounts.granted("key", 5);
    pass(Duration.ofMinutes(1));
    assertThat(accounts.keys()).isZero();
    assertThat(timer.pending()).isZero();
    assertThat(lost()).isEqualTo(1);
  }

  @Test
  void aKeyThatIsForgottenWhileItFailsIsNotCutOff() {
    Accounts accounts = accounts(HOUR);
    accounts.granted("key", 1);
    link.fail();
    pass(Duration.ofMillis(100));
    accounts.forget("key");
    link.fail();
    assertThat(accounts.isCutOff("key")).isFalse();
  }

  @Test
  void aKeyOfWhichAllWasTakenBackIsNotCutOff() {
    Account account = new Account("key", true, 0);
    account.add(1);
    for (int i = 0; i < 2; i++) {
      assertThat(account.departs()).isTrue();
      account.failed(account.message(i), i, 1000);
      account.takeBack(i);
      account.goOn();
    }
    assertThat(account.isCutOff()).isFalse();
  }

  @Test
  void whatOthersGrantedIsHeardThoughTheLimitsChangeMeanwhile() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      Accounts accounts = accounts(HOUR);
      accounts.granted("key", 1);
      link.answerFrom(redis);
      others(redis, 10);
      pass(Duration.ofMillis(100));
      accounts.granted("key", 1);
      accounts.changeTo(plan(HOUR));
      link.answerFrom(redis);
      assertThat(local.peek("key", 1).remaining()).isEqualTo(1000);
      pass(Duration.ofMillis(100));
      accounts.granted("key", 1);
      link.answerFrom(redis);
      assertThat(local.peek("key", 1).remaining()).isEqualTo(990);
    }
  }

  @Test
  void whatWasGrantedBeforeANodeCameIsHeardThoughTheLimitsChangeMeanwhile() {
    try (RespSocket redis = SharedRedis.empty().connect()) {
      others(redis, 10);
      Accounts accounts = accounts(HOUR);
      accounts.granted("key", 1);
      accounts.changeTo(plan(HOUR));
      link.answerFrom(redis);
      pass(Duration.ofMillis(100));
      accounts.granted("key", 1);
      link.answerFrom(redis);
      assertThat(local.peek("key", 1).remaining()).isEqualTo(990);
    }
  }

  private void others(RespSocket redis, long permits) {
    Plan plan = plan(HOUR);
    long micros = time.epochNanos() / 1000;
    PlanStore.send(redis, plan.keys("key"), plan.tell(permits, 10_000_000_000L, micros));
  }

  @Test
  void whereManyMessagesAreUnderWayOthersWait() {
    Accounts accounts = accounts(HOUR);
    for (int i = 0; i < 10_100; i++) {
      accounts.granted("key" + i, 1);
    }
    assertThat(link.sent).isEqualTo(10_000);
    pass(Duration.ofMillis(100));
    assertThat(link.sent).isEqualTo(10_000);
    try (RespSocket redis = SharedRedis.empty().connect()) {
      for (int i = 0; i < 100; i++) {
        link.answerFrom(redis);
      }
    }
    pass(Duration.ofMillis(100));
    assertThat(link.sent).isEqualTo(10_100);
  }

  /** Holds what is sent. */
  private static final class HeldLink implements Link {
    private final Queue<Call> calls = new ArrayDeque<>();
    private final OpenGate gate = new OpenGate();
    private boolean isBroken;
    private int sent;

    @Override
    public void send(Call call) {
      sent++;
      call.departs();
      if (isBroken) {
        call.fail(FULL);
      } else {
        calls.add(call);
      }
    }

    void fail() {
      calls.remove().fail(FULL);
    }

    void answerFrom(RespSocket redis) {
      Call call = calls.remove();
      call.answer(PlanStore.send(redis, call.keys(), new Message(call.script(), call.args())));
    }

    @Override
    public Gate gate(byte[] key) {
      return gate;
    }

    @Override
    public void suspect(byte[] key) {}

    @Override
    public void close() {}
  }
}
