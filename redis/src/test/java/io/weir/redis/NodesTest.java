package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that count each other in a real Redis; the second between two beats is virtual. */
class NodesTest {
  private final RedisProcess redis = SharedRedis.empty();
  private final ManualTimer timer = new ManualTimer(0);
  private final Deadlines deadlines = Deadlines.byHand(Duration.ofSeconds(10));
  private final SocketLink link = new SocketLink(redis);
  private final Desk desk = new Desk(link, deadlines, new Counters());
  private int second;

  @AfterEach
  void close() {
    link.close();
    deadlines.close();
  }

  private Nodes join(int least) {
    return new Nodes("weir", least, desk, timer);
  }

  private void beat() {
    second++;
    timer.moveTo(Duration.ofSeconds(second));
  }

  @Test
  void theyCountEachOther() {
    Nodes first = join(1);
    assertThat(first.count()).isEqualTo(1);
    beat();
    assertThat(first.count()).isEqualTo(1);
    Nodes second = join(1);
    Nodes third = join(1);
    beat();
    beat();
    assertThat(List.of(first.count(), second.count(), third.count())).containsOnly(3);
    third.close();
    for (int i = 0; i < 5; i++) {
      beat();
      assertThat(first.count()).isEqualTo(3);
    }
    beat();
    beat();
    assertThat(List.of(first.count(), second.count())).containsOnly(2);
    assertThat(redis.call("ZCARD", "weir:nodes")).isEqualTo(2L);
  }

  @Test
  void whoHasNotToldForFiveSecondsIsCountedNoMore() {
    Nodes node = join(1);
    long now = redisMillis();
    redis.call("ZADD", "weir:nodes", String.valueOf(now - 500), "lately");
    redis.call("ZADD", "weir:nodes", String.valueOf(now - 6000), "long ago");
    redis.call("ZADD", "weir:nodes", String.valueOf(now + 3_600_000), "in an hour");
    beat();
    assertThat(node.count()).isEqualTo(2);
    assertThat((Long) redis.call("PTTL", "weir:nodes")).isBetween(1L, 5000L);
  }

  @Test
  void theLastCountHoldsWhileRedisIsAway() {
    Nodes node = join(1);
    join(1);
    beat();
    beat();
    assertThat(node.count()).isEqualTo(2);
    link.failing = true;
    beat();
    beat();
    assertThat(node.count()).isEqualTo(2);
  }

  @Test
  void aRedisThatHasForgottenEverybodyIsNotBelievedAtOnce() {
    Nodes node = join(1);
    Nodes other = join(1);
    beat();
    beat();
    for (int i = 0; i < 20; i++) {
      if (i % 4 == 0) {
        redis.flush();
      }
      beat();
    }
    assertThat(List.of(node.count(), other.count())).containsOnly(2);
  }

  @Test
  void whoKnowsHowManyThereAreAtLeastSaysSo() {
    Nodes node = join(4);
    beat();
    assertThat(node.count()).isEqualTo(4);
    for (int i = 0; i < 5; i++) {
      join(1);
    }
    beat();
    beat();
    assertThat(node.count()).isEqualTo(6);
  }

  @Test
  void aNodeThatHasLeftTellsNoMore() {
    Nodes node = join(1);
    beat();
    node.close();
    long calls = link.calls;
    beat();
    beat();
    node.close();
    assertThat(link.calls).isEqualTo(calls);
    assertThat(redis.call("EXISTS", "weir:nodes")).isEqualTo(0L);
  }

  private long redisMillis() {
    List<?> time = (List<?>) redis.call("TIME");
    return Long.parseLong(time.get(0).toString()) * 1000
        + Long.parseLong(time.get(1).toString()) / 1000;
  }

  /** A link that waits for each reply. */
  private static final class SocketLink implements Link {
    private final RespSocket socket;
    private final Gate gate = new OpenGate();
    private boolean failing;
    private long calls;

    SocketLink(RedisProcess redis) {
      this.socket = redis.connect();
    }

    @Override
    public void send(Call call) {
      calls++;
      if (failing) {
        call.fail(new Failure(Failure.Kind.DISCONNECTED, "away"));
        return;
      }
      List<byte[]> parts = new ArrayList<>();
      parts.add("EVAL".getBytes(StandardCharsets.US_ASCII));
      parts.add(call.script().text());
      parts.add(String.valueOf(call.keys().length).getBytes(StandardCharsets.US_ASCII));
      parts.addAll(List.of(call.keys()));
      parts.addAll(List.of(call.args()));
      List<?> reply = (List<?>) socket.call(parts.toArray(byte[][]::new));
      call.answer(reply.stream().mapToLong(each -> (Long) each).toArray());
    }

    @Override
    public Gate gate(byte[] key) {
      return gate;
    }

    @Override
    public void suspect(byte[] key) {}

    @Override
    public void close() {
      socket.close();
    }
  }
}
