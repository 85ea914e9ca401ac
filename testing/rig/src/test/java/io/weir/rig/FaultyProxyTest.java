package io.weir.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.FaultyProxy.AcceptMode;
import io.weir.rig.FaultyProxy.Fault;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bad network itself. */
@Timeout(60)
class FaultyProxyTest {
  private static final Duration SHORT = Duration.ofMillis(500);

  @Test
  void forwardsAndDropsBytes() {
    RedisProcess redis = SharedRedis.empty();
    try (FaultyProxy proxy = new FaultyProxy(redis.port())) {
      try (RespSocket client = new RespSocket(proxy.port())) {
        assertThat(client.call("SET", "key", "x".repeat(100_000))).isEqualTo("OK");
        assertThat((String) client.call("GET", "key")).hasSize(100_000);
        assertThat(proxy.connections()).isEqualTo(1);

        proxy.toClient(Fault.SWALLOW);
        assertHangs(client, "INCR", "count");
        Await.holds("it arrives", () -> "1".equals(redis.call("GET", "count")));
      }
      proxy.heal().toServer(Fault.SWALLOW);
      try (RespSocket client = new RespSocket(proxy.port())) {
        assertHangs(client, "INCR", "count");
        assertThat(redis.call("GET", "count")).as("it did not arrive").isEqualTo("1");
      }
    }
  }

  @Test
  void stalledBytesArriveAfterHealing() {
    RedisProcess redis = SharedRedis.empty();
    try (FaultyProxy proxy = new FaultyProxy(redis.port());
        RespSocket client = new RespSocket(proxy.port())) {
      client.call("PING");
      proxy.both(Fault.STALL);
      assertHangs(client, "INCR", "count");
      assertThat(redis.call("GET", "count")).isNull();
      proxy.heal();
      Await.holds("it arrives", () -> "1".equals(redis.call("GET", "count")));
    }
  }

  @Test
  void delaysTruncatesAndCloses() {
    RedisProcess redis = SharedRedis.empty();
    try (FaultyProxy proxy = new FaultyProxy(redis.port())) {
      try (RespSocket client = new RespSocket(proxy.port())) {
        proxy.toClient(Fault.late(Duration.ofMillis(50)));
        long start = System.nanoTime();
        client.call("PING");
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
        proxy.toClient(Fault.cutAfter(3));
        assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
      }
      proxy.heal();
      try (RespSocket client = new RespSocket(proxy.port())) {
        client.call("PING");
        proxy.drop();
        assertThatThrownBy(() -> client.call("PING"))
            .isInstanceOf(UncheckedIOException.class)
            .hasRootCauseInstanceOf(SocketException.class);
      }
      Await.holds("no connection is left", () -> proxy.connections() == 0);
    }
  }

  @Test
  void orphanedConnectionsNeverReceiveBytes() {
    RedisProcess redis = RedisProcess.start();
    try (redis;
        FaultyProxy proxy = new FaultyProxy(redis.port());
        RespSocket client = new RespSocket(proxy.port())) {
      client.call("PING");
      proxy.orphan();
      redis.call("CLIENT", "KILL", "TYPE", "normal");
      assertHangs(client, "PING");
      proxy.heal();
      assertHangs(client, "PING");
      try (RespSocket other = new RespSocket(proxy.port())) {
        assertThat(other.call("PING")).isEqualTo("PONG");
      }
    }
  }

  @Test
  void refusesNewConnections() {
    RedisProcess redis = SharedRedis.empty();
    try (FaultyProxy proxy = new FaultyProxy(redis.port())) {
      proxy.door(AcceptMode.SLAMMED);
      assertThatThrownBy(
              () -> {
                try (RespSocket client = new RespSocket(proxy.port())) {
                  client.call("PING");
                }
              })
          .isInstanceOf(UncheckedIOException.class);
      proxy.door(AcceptMode.BRICKED_UP);
      try (RespSocket client = new RespSocket(proxy.port())) {
        assertHangs(client, "PING");
      }
      proxy.heal();
      try (RespSocket client = new RespSocket(proxy.port())) {
        assertThat(client.call("PING")).isEqualTo("PONG");
      }
      assertThat(proxy.accepted()).isEqualTo(3);
    }
  }

  private static void assertHangs(RespSocket client, String... command) {
    client.setTimeout(SHORT);
    assertThatThrownBy(() -> client.call(command))
        .isInstanceOf(UncheckedIOException.class)
        .hasRootCauseInstanceOf(SocketTimeoutException.class);
  }
}
