package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisFailure.Kind;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RedisReplicas;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Transports that get the primary from real sentinels. */
@Tag("slow")
final class SentinelTransportTest {
  @Test
  void followsThePrimary() throws Exception {
    try (RedisReplicas replicas = RedisReplicas.start(RedisProgram.chosen(), 1);
        TestTransport link = TestTransport.connected(replicas.url())) {
      assertThat(link.gates).containsOnlyKeys(RedisReplicas.NAME);
      assertThat(link.count("k", 1).result()[0]).isEqualTo(1);

      // One that dies.
      RedisProcess first = replicas.primary();
      first.kill();
      RedisProcess second = replicas.failOver(first);
      awaitOn(link, second);
      replicas.rejoin(first);

      // A primary that is demoted: the connection to it is still good, but it is a replica.
      Await.holds(
          "demoted",
          () ->
              "OK"
                  .equals(
                      replicas
                          .sentinels()
                          .get(0)
                          .call("SENTINEL", "FAILOVER", RedisReplicas.NAME)));
      RedisProcess third = replicas.awaitPrimaryOtherThan(second);
      awaitOn(link, third);

      // A sentinel that is gone, and one that hangs, are passed over.
      replicas.sentinels().get(0).kill();
      replicas.sentinels().get(1).suspend();
      String hasty = replicas.url().replace("#", "?connect_timeout=1s#");
      try (TestTransport other = TestTransport.connected(hasty)) {
        awaitOn(other, third);
      } finally {
        replicas.sentinels().get(1).resume();
      }
    }
  }

  private static void awaitOn(TestTransport link, RedisProcess server) {
    Await.holds(
        "counts on " + server,
        () -> {
          String before = String.valueOf(server.call("GET", "on"));
          link.count("on", 1).result();
          return !String.valueOf(server.call("GET", "on")).equals(before);
        });
  }

  @Test
  void reportsSentinelProblems() {
    try (RedisProcess noSentinel = RedisProcess.start();
        RedisReplicas replicas = RedisReplicas.start(RedisProgram.chosen(), 0)) {
      String sentinel = replicas.sentinels().get(0).address();
      try (TestTransport link =
          TestTransport.connectedOrNot("redis-sentinel://" + sentinel + "#unknown")) {
        assertThat(link.breaker().lastLost().message())
            .isEqualTo("sentinel " + sentinel + " knows no primary named 'unknown'");
      }
      try (TestTransport link =
          TestTransport.connectedOrNot("redis-sentinel://" + noSentinel.address() + "#weir")) {
        assertThat(link.breaker().lastLost().message()).contains("says: ERR unknown command");
      }
      try (TestTransport link =
          TestTransport.connectedOrNot(
              "redis-sentinel://" + sentinel + "?sentinel_user=u&sentinel_password=hush#weir")) {
        assertThat(link.breaker().lastLost().kind()).isEqualTo(Kind.FORBIDDEN);
        assertThat(link.breaker().lastLost().message()).doesNotContain("hush");
      }
      try (TestTransport link =
          TestTransport.connected("redis-sentinel://127.0.0.1:1," + sentinel + "#weir")) {
        assertThat(link.breaker().isUp()).isTrue();
      }
    }
  }
}
