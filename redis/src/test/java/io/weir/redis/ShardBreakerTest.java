package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Fallbacks;
import io.weir.redis.RedisStatus.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * The breaker in virtual time: at which moment what happens, how it stands then, how many probes
 * were sent by then, and what was logged.
 */
class ShardBreakerTest {
  private static final String TIMEOUT =
      "WARNING Redis r:1 does not answer (TIMEOUT): decisions by on_failure until it answers";
  private static final String GONE =
      "WARNING Redis r:1 cannot be reached (DISCONNECTED): decisions by on_failure until it answers";
  private static final String NO_MEMORY =
      "WARNING Redis r:1 has no memory left to write (OUT_OF_MEMORY): what it does not decide is"
          + " decided by on_failure";

  private static final String NONE = "no decision was made without it";

  private final ManualTimer timer =
      new ManualTimer(ThreadLocalRandom.current().nextBoolean() ? Long.MAX_VALUE - 1000 : -1);
  private final RecordingLogger recordingLogger = new RecordingLogger();
  private final Redis redis = new Redis();
  private final OutageLog outages =
      new OutageLog(
          recordingLogger, Runnable::run, timer, () -> 0, "redis://r:1", () -> Fallbacks.NONE);
  private final ShardBreakers shardBreakers =
      new ShardBreakers(Script.of("nodes"), Duration.ofMillis(10), timer, outages, pause -> pause);
  private byte[] slots = "k".getBytes(StandardCharsets.UTF_8);
  private final CircuitBreaker circuitBreaker = shardBreakers.create("r:1", () -> slots);

  ShardBreakerTest() {
    shardBreakers.probeThrough(redis);
  }

  private State state() {
    return shardBreakers.status().get(0).state();
  }

  private void at(long millis, String event, State state, int probes, String... logged) {
    timer.moveTo(Duration.ofMillis(millis));
    happen(event);
    timer.moveTo(Duration.ofMillis(millis));
    String when = "at " + millis + " ms, after '" + event + "'";
    assertThat(state()).as(when).isEqualTo(state);
    assertThat(circuitBreaker.isOpen()).as(when).isEqualTo(state != State.OPEN);
    assertThat(redis.probes).as("probes " + when).isEqualTo(probes);
    assertThat(recordingLogger.take()).as("log " + when).containsExactly(logged);
  }

  private void happen(String event) {
    String[] words = event.split(" ");
    switch (words[0]) {
      case "" -> {}
      case "connected" -> circuitBreaker.connected();
      case "disconnected" -> circuitBreaker.disconnected(failure("DISCONNECTED"));
      case "redis" -> redis.mode = words[1].toUpperCase(Locale.ROOT);
      case "resumes" -> redis.resume();
      case "ok" -> circuitBreaker.succeeded();
      default -> {
        for (int i = 0; i < Integer.parseInt(words[0]); i++) {
          circuitBreaker.failed(failure(words[1].toUpperCase(Locale.ROOT)));
        }
      }
    }
  }

  private static RedisFailure failure(String kind) {
    return new RedisFailure(RedisFailure.Kind.valueOf(kind), kind);
  }

  private void closed() {
    at(0, "connected", State.CLOSED, 1);
    timer.moveTo(Duration.ofSeconds(5));
  }

  @Test
  void isOpenWithoutALogLineUntilConnected() {
    at(0, "", State.OPEN, 0);
    at(3000, "", State.OPEN, 0);
    at(3000, "connected", State.CLOSED, 1);
  }

  @Test
  void logsFailureOfTheFirstConnection() {
    redis.mode = "DISCONNECTED";
    at(10, "disconnected", State.OPEN, 0, GONE);
    at(109, "", State.OPEN, 0);
    at(110, "", State.OPEN, 1);
    at(200, "disconnected", State.OPEN, 1);
    at(2000, "redis well", State.OPEN, 7); // at 110, 210, 360, 585, 922.5, 1422.5, 1922.5
    at(2000, "connected", State.CLOSED, 8);
    at(60_000, "", State.CLOSED, 8, "INFO Redis r:1 answers after 2 s: " + NONE);
  }

  @Test
  void opensAfterFiveTimeoutsInARow() {
    closed();
    redis.mode = "SILENT";
    at(5000, "4 timeout", State.CLOSED, 1);
    at(5000, "ok", State.CLOSED, 1);
    at(5001, "4 timeout", State.CLOSED, 1);
    at(5001, "1 timeout", State.OPEN, 2, TIMEOUT);
    at(5002, "3 timeout", State.OPEN, 2);
    at(5002, "ok", State.OPEN, 2);
    at(5110, "", State.OPEN, 2);
    at(5111, "", State.OPEN, 3); // 100 ms after the first has timed out
    at(5271, "", State.OPEN, 4); // 150 ms
    at(5506, "", State.OPEN, 5); // 225 ms
    at(5853, "", State.OPEN, 5);
    at(5854, "", State.OPEN, 6); // 337.5 ms
    at(6363, "", State.OPEN, 6);
    at(6364, "redis well", State.OPEN, 7); // 500 ms
    at(6873, "", State.OPEN, 7);
    at(6874, "", State.CLOSED, 8);
    at(60_000, "", State.CLOSED, 8, "INFO Redis r:1 answers again after 1.9 s: " + NONE);
  }

  @Test
  void aHiccupIsOverAtOnce() {
    closed();
    at(5000, "5 timeout", State.CLOSED, 2, TIMEOUT);
    at(5999, "", State.CLOSED, 2);
    at(6000, "", State.CLOSED, 2, "INFO Redis r:1 answers again after 0 ms: " + NONE);
  }

  @Test
  void opensAtOnceWhenDisconnectedAndProbesAtOnceWhenConnected() {
    closed();
    redis.mode = "DISCONNECTED";
    at(5000, "disconnected", State.OPEN, 1, GONE);
    at(5099, "", State.OPEN, 1);
    at(5100, "", State.OPEN, 2);
    at(5101, "redis well", State.OPEN, 2);
    at(5102, "connected", State.CLOSED, 3);
    at(7000, "", State.CLOSED, 3, "INFO Redis r:1 answers again after 102 ms: " + NONE);
  }

  @Test
  void neverHasTwoProbesUnderWay() {
    closed();
    redis.mode = "SILENT";
    at(5000, "5 timeout", State.OPEN, 2, TIMEOUT);
    at(5003, "connected", State.OPEN, 2);
    at(5004, "connected", State.OPEN, 2);
    at(5010, "", State.OPEN, 3); // the first has ended, and another was requested meanwhile
    at(5020, "", State.OPEN, 3);
  }

  @Test
  void lateReplyOnlyBringsTheNextProbeForward() {
    closed();
    redis.mode = "SILENT";
    at(5000, "5 timeout", State.OPEN, 2, TIMEOUT);
    at(5900, "", State.OPEN, 6);
    at(5900, "redis well", State.OPEN, 6);
    at(5900, "resumes", State.OPEN, 6);
    at(5909, "", State.OPEN, 6);
    at(5910, "", State.CLOSED, 7);
    at(7000, "", State.CLOSED, 7, "INFO Redis r:1 answers again after 910 ms: " + NONE);
  }

  @Test
  void suspectsAConnectionThatIsSilentForTwoSeconds() {
    closed();
    redis.mode = "SILENT";
    at(5000, "5 timeout", State.OPEN, 2, TIMEOUT);
    timer.moveTo(Duration.ofMillis(6999));
    assertThat(redis.suspected).isZero();
    timer.moveTo(Duration.ofMillis(7600));
    assertThat(redis.suspected).isEqualTo(1);
    timer.moveTo(Duration.ofMillis(15_000));
    assertThat(redis.suspected).isEqualTo(4);
  }

  /** One reply is lost, and each later one is taken for the reply to the call before. */
  @Test
  void suspectsAConnectionWithLateRepliesForFiveSeconds() {
    closed();
    redis.mode = "LATE";
    at(5000, "5 timeout", State.OPEN, 2, TIMEOUT);
    timer.moveTo(Duration.ofMillis(9999));
    assertThat(redis.suspected).isZero();
    timer.moveTo(Duration.ofMillis(10_100));
    assertThat(redis.suspected).isEqualTo(1);
  }

  @Test
  void doesNotSuspectAConnectionThatIsGone() {
    closed();
    redis.mode = "SILENT";
    at(5000, "disconnected", State.OPEN, 1, GONE);
    timer.moveTo(Duration.ofMillis(15_000));
    assertThat(redis.suspected).isZero();
  }

  @Test
  void doesNotSuspectAConnectionThatRepliesWithErrors() {
    closed();
    redis.mode = "LOADING";
    at(5000, "5 timeout", State.OPEN, 2, TIMEOUT);
    timer.moveTo(Duration.ofMillis(15_000));
    assertThat(redis.suspected).isZero();
    assertThat(recordingLogger.take()).isEmpty();
  }

  @Test
  void suspectsAConnectionToWhatIsNoPrimaryAnyMore() {
    closed();
    redis.mode = "READ_ONLY";
    at(
        5000,
        "5 read_only",
        State.OPEN,
        2,
        "WARNING Redis r:1 is not the primary (READ_ONLY): decisions by on_failure until it"
            + " answers");
    timer.moveTo(Duration.ofMillis(7600));
    assertThat(redis.suspected).isEqualTo(1);
  }

  @Test
  void outOfMemoryIsLoggedAndKeepsTheBreakerClosed() {
    closed();
    redis.mode = "OUT_OF_MEMORY";
    at(5000, "4 out_of_memory", State.CLOSED, 1);
    at(5000, "1 out_of_memory", State.DEGRADED, 2, NO_MEMORY);
    at(5050, "ok", State.DEGRADED, 2); // a refusal
    at(5060, "20 out_of_memory", State.DEGRADED, 2);
    at(5100, "", State.DEGRADED, 3);
    at(7000, "redis well", State.DEGRADED, 8);
    at(8000, "", State.CLOSED, 9);
    at(9000, "", State.CLOSED, 9, "INFO Redis r:1 answers again after 2.3 s: " + NONE);
  }

  @Test
  void shardOutOfMemoryThatStopsReplyingOpensTheBreaker() {
    closed();
    redis.mode = "OUT_OF_MEMORY";
    at(5000, "5 out_of_memory", State.DEGRADED, 2, NO_MEMORY);
    at(5050, "4 timeout", State.DEGRADED, 2);
    at(5050, "1 out_of_memory", State.DEGRADED, 2); // a reply
    at(5051, "4 timeout", State.DEGRADED, 2);
    at(5052, "1 timeout", State.OPEN, 2); // the same outage: the line of the next minute says so
    at(5300, "", State.DEGRADED, 3); // the probe got a reply, in a way
    at(
        65_000,
        "",
        State.DEGRADED,
        124,
        "WARNING Redis r:1 still degraded for 60 s, has no memory left to write (OUT_OF_MEMORY): "
            + NONE);
  }

  @Test
  void newerFormatDoesNotCountAsFailure() {
    closed();
    at(5000, "100 newer_format", State.CLOSED, 1);
    at(5000, "100 foreign", State.CLOSED, 1);
    at(5000, "4 timeout", State.CLOSED, 1);
    at(5000, "1 newer_format", State.CLOSED, 1);
    at(5000, "4 timeout", State.CLOSED, 1);
  }

  @Test
  void backsOffFromShardThatRepliesToProbesOnly() {
    closed();
    at(
        5000,
        "5 forbidden",
        State.CLOSED,
        2,
        "WARNING Redis r:1 does not let us (FORBIDDEN): decisions by on_failure until it answers");
    int opened = 0;
    for (int at = 5001; at < 65_001; at++) {
      timer.moveTo(Duration.ofMillis(at));
      if (circuitBreaker.isOpen()) {
        opened++;
        happen("5 forbidden");
      }
    }
    assertThat(opened).isBetween(100, 140); // twice a second
    List<String> logged = recordingLogger.take();
    assertThat(logged).hasSize(1);
    assertThat(logged.get(0))
        .matches(
            "WARNING Redis r:1 (answers now, but failed \\d+ times in the last 60 s"
                + "|still down for 60 s, does not let us \\(FORBIDDEN\\)): no decision.*");
  }

  @Test
  void reportsStateOfEachShard() {
    closed();
    assertThat(shardBreakers.status())
        .containsExactly(new RedisStatus.Shard("r:1", State.CLOSED, Duration.ofSeconds(5), 1, ""));
    redis.mode = "SILENT";
    happen("5 timeout");
    timer.moveTo(Duration.ofSeconds(8));
    assertThat(shardBreakers.status())
        .containsExactly(
            new RedisStatus.Shard(
                "r:1", State.OPEN, Duration.ofSeconds(3), 2, "no answer within 10 ms"));
  }

  /** Another node would reply for it. */
  @Test
  void aNodeWithoutSlotsIsNotProbed() {
    closed();
    slots = null;
    timer.moveTo(Duration.ofSeconds(1));
    happen("disconnected");
    timer.moveTo(Duration.ofSeconds(60));
    assertThat(circuitBreaker.isOpen()).isFalse();
    assertThat(redis.probes).isEqualTo(1);
    assertThat(recordingLogger.take()).as("no decision depends on it").isEmpty();
    assertThat(shardBreakers.status()).isEmpty();
    slots = "k".getBytes(StandardCharsets.UTF_8);
    at(60_600, "", State.CLOSED, 2);
  }

  @Test
  void aShardThatIsNoMoreIsNotProbed() {
    closed();
    redis.mode = "SILENT";
    happen("5 timeout");
    shardBreakers.remove(circuitBreaker);
    timer.moveTo(Duration.ofSeconds(100));
    assertThat(redis.probes).isEqualTo(1);
    assertThat(timer.pending()).isZero();
    assertThat(shardBreakers.status()).isEmpty();
    assertThat(recordingLogger.take())
        .containsExactly(TIMEOUT, "INFO Redis r:1 is replaced after 0 ms: " + NONE);
  }

  /** A link to a Redis that is well, or is not. */
  private final class Redis implements RedisTransport {
    private final List<ScriptCall> unanswered = new ArrayList<>();
    private String mode = "WELL";
    private int probes;
    private int suspected;

    @Override
    public void send(ScriptCall scriptCall) {
      probes++;
      switch (mode) {
        case "WELL" -> scriptCall.complete(new long[] {1, 0});
        case "SILENT" -> unanswered.add(scriptCall);
        case "LATE" -> {
          resume();
          unanswered.add(scriptCall);
        }
        default -> scriptCall.fail(failure(mode));
      }
    }

    void resume() {
      unanswered.forEach(scriptCall -> scriptCall.complete(new long[] {1, 0}));
      unanswered.clear();
    }

    @Override
    public CircuitBreaker breaker(byte[] key) {
      return circuitBreaker;
    }

    @Override
    public void suspect(byte[] key) {
      suspected++;
    }

    @Override
    public void close() {}
  }
}
