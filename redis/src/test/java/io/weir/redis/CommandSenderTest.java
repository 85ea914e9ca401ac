package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Origin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a call: which objects are notified, and what is counted. */
class CommandSenderTest {
  private static final Script SCRIPT = Script.of("nodes");
  private static final long LONG_AFTER = Duration.ofSeconds(1).toNanos();

  private final SwitchableBreaker breaker = new SwitchableBreaker();
  private final Outbox link = new Outbox();
  private final Deadlines deadlines = Deadlines.byHand(Duration.ofMillis(10));
  private final RedisCounters redisCounters = new RedisCounters();
  private final CommandSender commandSender = new CommandSender(link, deadlines, redisCounters);
  private final Heard call = new Heard();

  private RedisStatus status() {
    return redisCounters.snapshot(List.of(), 1);
  }

  @Test
  void replyInTimeIsASuccess() {
    commandSender.send(call);
    assertThat(link.sent).containsExactly(call);
    assertThat(call.heard).isEmpty();
    link.sent.get(0).complete(new long[] {7});
    deadlines.expire(System.nanoTime() + LONG_AFTER);
    assertThat(call.heard).containsExactly("7");
    assertThat(breaker.events).containsExactly("succeeded");
    assertThat(status().calls()).isEqualTo(1);
    assertThat(status().answered()).isEqualTo(1);
    assertThat(status().timeouts()).isZero();
  }

  @Test
  void missingReplyIsAFailureAndALateOneIsDropped() {
    commandSender.send(call);
    deadlines.expire(System.nanoTime() + LONG_AFTER);
    assertThat(call.heard).containsExactly("no answer within 10 ms");
    link.sent.get(0).complete(new long[] {7});
    assertThat(call.heard).containsExactly("no answer within 10 ms", "late");
    assertThat(breaker.events).containsExactly("failed no answer within 10 ms");
    assertThat(status().answered()).isZero();
    assertThat(status().timeouts()).isEqualTo(1);
    assertThat(status().late()).isEqualTo(1);
  }

  @Test
  void anErrorIsAFailureOfItsKind() {
    commandSender.send(call);
    link.sent.get(0).fail(new RedisFailure(RedisFailure.Kind.READ_ONLY, "READONLY you can't"));
    deadlines.expire(System.nanoTime() + LONG_AFTER);
    assertThat(call.heard).containsExactly("READONLY you can't");
    assertThat(breaker.events).containsExactly("failed READONLY you can't");
    assertThat(status().failures()).containsEntry("read_only", 1L).containsEntry("timeout", 0L);
  }

  @Test
  void failsAtOnceWhileTheBreakerIsOpen() {
    breaker.obstacle = new RedisFailure(RedisFailure.Kind.DISCONNECTED, "refused");
    commandSender.send(call);
    assertThat(link.sent).isEmpty();
    assertThat(call.heard).containsExactly("refused");
    assertThat(breaker.events).isEmpty();
    assertThat(status().calls()).isZero();
    assertThat(status().notSent()).isEqualTo(1);
    assertThat(status().failures().values()).containsOnly(0L);
  }

  @Test
  void shedsCallsThatExceedTheirMemoryUntilOthersEnd() {
    CallMemory callMemory = new CallMemory(16L * CallMemory.ofKey(2000));
    CommandSender bounded =
        new CommandSender(link, deadlines, redisCounters, () -> null, callMemory);
    List<Heard> calls = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      calls.add(new Heard(2000));
      bounded.send(calls.get(i));
    }
    assertThat(link.sent).as("an eighth is left to short keys").hasSize(14);
    assertThat(calls.get(14).heard)
        .containsExactly("calls in flight to Redis use up their share of the heap");
    assertThat(breaker.events).as("the shard is not to blame").isEmpty();
    assertThat(status().shed()).isEqualTo(6);
    Heard honest = new Heard(20);
    bounded.send(honest);
    assertThat(link.sent).endsWith(honest);

    link.sent.get(0).complete(new long[] {7});
    link.sent.get(1).fail(new RedisFailure(RedisFailure.Kind.READ_ONLY, "READONLY you can't"));
    deadlines.expire(System.nanoTime() + LONG_AFTER);
    link.sent.get(2).complete(new long[] {7}); // too late, and counted already
    assertThat(callMemory.bytes()).isZero();
    Heard next = new Heard(2000);
    bounded.send(next);
    assertThat(link.sent).endsWith(next);
  }

  @Test
  void decisionsAreCountedByTheirOrigin() {
    redisCounters.decided(Origin.STORE);
    redisCounters.decided(Origin.LOCAL);
    redisCounters.decided(Origin.FAILURE);
    redisCounters.decided(Origin.FAILURE);
    redisCounters.coalesced(5);
    assertThat(status().decisions())
        .containsEntry(Origin.STORE, 1L)
        .containsEntry(Origin.CACHE, 0L);
    assertThat(status().fallbacks()).isEqualTo(3);
    assertThat(status().coalesced()).isEqualTo(5);
  }

  @Test
  void measuresOneReplyIn64() {
    long now = System.nanoTime();
    for (int i = 0; i < 64_000; i++) {
      redisCounters.replied(now - i * 1000L); // a clock of microseconds
    }
    assertThat(status().latency().samples()).isBetween(500L, 2000L);
    assertThat(status().answered()).isEqualTo(64_000);
  }

  /** Keeps what is sent. */
  private final class Outbox extends OneGateTransport {
    private final List<ScriptCall> sent = new ArrayList<>();

    Outbox() {
      super(breaker);
    }

    @Override
    public void send(ScriptCall scriptCall) {
      sent.add(scriptCall);
    }
  }

  /** Writes down what it hears. */
  private static final class Heard extends ScriptCall {
    private final List<String> heard = new ArrayList<>();

    Heard() {
      this(0);
    }

    Heard(int characters) {
      super(SCRIPT, new byte[][] {{1}}, new byte[0][], CallMemory.ofKey(characters));
    }

    @Override
    void onReply(long[] reply) {
      heard.add(String.valueOf(reply[0]));
    }

    @Override
    void onFailure(RedisFailure redisFailure) {
      heard.add(redisFailure.message());
    }

    @Override
    void onLateReply() {
      heard.add("late");
    }
  }
}
