package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisFailure.Kind;
import io.weir.rig.Await;
import io.weir.rig.RedisCluster;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.SharedRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Links to a real cluster. */
@Tag("slow")
final class ClusterTransportTest {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(RedisProgram.chosen());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static TestTransport connected(String url, RedisCluster cluster) {
    TestTransport link = new TestTransport(url);
    for (RedisProcess node : cluster.nodes()) {
      Await.holds(
          "connected to " + node,
          () -> link.gates.containsKey(node.address()) && link.gates.get(node.address()).isUp());
    }
    return link;
  }

  private static String keyOf(RedisProcess node) {
    for (int i = 0; ; i++) {
      if (cluster.owner(cluster.slot("key" + i)) == node) {
        return "key" + i;
      }
    }
  }

  @Test
  void findsTheShardOfEachKey() throws Exception {
    cluster.flush();
    // One node is enough to know all others.
    try (TestTransport link = connected("redis-cluster://" + cluster.shard(1).address(), cluster)) {
      List<TestTransport.Promise> sent = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        sent.add(link.count("key" + i % 300, 1));
      }
      for (int i = 0; i < sent.size(); i++) {
        assertThat(sent.get(i).result()[0]).isEqualTo(i / 300 + 1);
      }
      for (int i = 0; i < 300; i++) {
        RedisProcess owner = cluster.owner(cluster.slot("key" + i));
        assertThat(owner.call("GET", "key" + i)).isEqualTo("10");
        assertThat(
                ((RecordingBreaker) link.redisTransport.breaker(TestTransport.bytes("key" + i)))
                    .name)
            .isEqualTo(owner.address());
      }
    }
  }

  @Test
  void losesOnlyTheKeysOfALostShard() throws Exception {
    cluster.flush();
    RedisProcess lost = cluster.shard(2);
    String theirs = keyOf(lost);
    String other = keyOf(cluster.shard(0));
    try (TestTransport link = connected(cluster.url(), cluster)) {
      lost.suspend();
      TestTransport.Promise hangs = link.count(theirs, 1);
      assertThat(link.count(other, 1).result()[0]).isEqualTo(1);
      lost.resume();
      assertThat(hangs.result()[0]).isEqualTo(1);
      lost.kill();
      Await.holds(
          "the breaker of the lost shard opens", () -> !link.gates.get(lost.address()).isUp());
      assertThat(link.count(theirs, 1).redisFailure().kind())
          .isIn(Kind.DISCONNECTED, Kind.CLUSTER_DOWN);
      assertThat(link.count(other, 1).result()[0]).isEqualTo(2);
      assertThat(link.gates.get(cluster.shard(0).address()).lost).isEmpty();
      lost.startAgain();
      cluster.awaitOk();
      Await.holds("up again", () -> link.gates.get(lost.address()).isUp());
      Await.holds("counts again", () -> link.count(theirs, 1).result()[0] >= 1);
    }
  }

  @Test
  void followsSlotsThatMoveUnderLoad() throws Exception {
    cluster.flush();
    RedisProcess from = cluster.shard(0);
    RedisProcess to = cluster.shard(1);
    String key = keyOf(from);
    int slot = cluster.slot(key);
    AtomicInteger completed = new AtomicInteger();
    AtomicInteger failed = new AtomicInteger();
    AtomicBoolean done = new AtomicBoolean();
    try (TestTransport link = connected(cluster.url(), cluster)) {
      Thread load =
          new Thread(
              () -> {
                while (!done.get()) {
                  try {
                    link.count("{" + key + "}" + completed.get() % 50, 1).result();
                    completed.incrementAndGet();
                  } catch (Exception e) {
                    failed.incrementAndGet();
                  }
                }
              });
      load.start();
      try {
        for (int i = 0; i < 4; i++) {
          int before = completed.get();
          Await.holds("calls go on", () -> completed.get() > before + 100);
          cluster.move(slot, i % 2 == 0 ? to : from);
        }
        int before = completed.get();
        Await.holds("calls go on", () -> completed.get() > before + 100);
      } finally {
        done.set(true);
        load.join();
      }
      assertThat(failed).hasValue(0);
      long sum = 0;
      for (int i = 0; i < 50; i++) {
        Object count = cluster.owner(slot).call("GET", "{" + key + "}" + i);
        sum += count == null ? 0 : Long.parseLong((String) count);
      }
      assertThat(sum).isEqualTo(completed.get());
    }
  }

  /** While one key of two has moved, no node serves both: TRYAGAIN, for as long as that takes. */
  @Test
  void callOfTwoKeysWaitsUntilBothHaveMoved() throws Exception {
    cluster.flush();
    RedisProcess from = cluster.shard(0);
    RedisProcess to = cluster.shard(1);
    String tag = "{" + keyOf(from) + "}";
    int slot = cluster.slot(tag);
    try (TestTransport link = connected(cluster.url(), cluster)) {
      link.count(tag + "a", 1).result();
      link.count(tag + "b", 1).result();
      cluster.beginMove(slot, to);
      assertThat(cluster.moveSomeKeys(slot, to, 1)).isEqualTo(1);
      AtomicInteger sent = new AtomicInteger();
      TestTransport.Promise both =
          new TestTransport.Promise(TestTransport.COUNT, List.of(tag + "a", tag + "b"), "1") {
            @Override
            boolean departs() {
              sent.incrementAndGet();
              return super.departs();
            }
          };
      link.redisTransport.send(both);
      Await.holds("it was turned away often", () -> both.end.isDone() || sent.get() > 20);
      assertThat(both.end).isNotDone();
      cluster.move(slot, to);
      assertThat(both.result()[0]).isEqualTo(2);
    } finally {
      if (cluster.owner(slot) == from) {
        cluster.move(slot, to);
      }
      cluster.move(slot, from);
    }
  }

  @Test
  void followsAReplicaThatTakesOver() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen(), 3, 1);
        TestTransport link = new TestTransport(cluster.url())) {
      cluster.bePatient();
      String theirs = "key0";
      RedisProcess lost = cluster.owner(cluster.slot(theirs));
      Await.holds("up", () -> link.gates.get(lost.address()).isUp());
      assertThat(link.count(theirs, 1).result()).isNotEmpty();
      lost.kill();
      cluster.beHasty();
      Await.holds("another shard counts", () -> link.count(theirs, 1).result().length > 0);
      assertThat(((RecordingBreaker) link.redisTransport.breaker(TestTransport.bytes(theirs))).name)
          .isNotEqualTo(lost.address());
    }
  }

  @Test
  void reportsServerWithoutClusterMode() {
    RedisProcess redis = SharedRedis.empty();
    try (TestTransport link = new TestTransport("redis-cluster://" + redis.address())) {
      Await.holds("reported", () -> !link.breaker().lost.isEmpty());
      assertThat(link.breaker().lastLost().message())
          .contains(redis.address(), "cluster support disabled", "use redis://");
      assertThat(link.count("k", 1).redisFailure().message()).contains("use redis://");
    }
  }

  @Test
  void reportsClusterNodeUnderASingleServerUrl() {
    RedisProcess node = cluster.shard(0);
    try (TestTransport link = TestTransport.connected(node.url())) {
      assertThat(link.count(keyOf(cluster.shard(1)), 1).redisFailure().message())
          .startsWith(node.address() + " is a node of a cluster; use redis-cluster://");
    }
  }

  @Test
  void startsWithoutTheClusterAndFindsItLater() throws Exception {
    try (TestTransport link = new TestTransport("redis-cluster://127.0.0.1:1")) {
      Await.holds("reported twice", () -> link.breaker().lost.size() > 1);
      assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
    }
  }
}
