package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.redis.RedisStatus.State;
import io.weir.rig.Await;
import io.weir.rig.CapturedLog;
import io.weir.rig.RedisCluster;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RedisReplicas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/** Several Redis that replace each other, and what can happen to them, for real. */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
@Timeout(300)
class ChaosOfManyServersTest {
  @Test
  void sentinelsReplaceThePrimaryThatWasKilled() throws Exception {
    try (RedisReplicas group = RedisReplicas.start(RedisProgram.chosen(), 2);
        OutageScenario outageScenario =
            new OutageScenario("Sentinel: kill -9", OutageScenario.settings(group.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      RedisProcess first = group.primary();
      first.kill();
      outageScenario.awaitFallback().phase("recovery");
      RedisProcess second = group.failOver(first);
      outageScenario.awaitRedis();
      group.rejoin(first);
      outageScenario.phase("again").awaitRedis().goOn();
      second.kill();
      outageScenario.awaitFallback().phase("recovery");
      group.failOver(second);
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  /** It comes back and acts as the primary until a Sentinel demotes it. */
  @Test
  void sentinelsReplaceThePrimaryThatHung() throws Exception {
    try (RedisReplicas group = RedisReplicas.start(RedisProgram.chosen(), 1);
        OutageScenario outageScenario =
            new OutageScenario("Sentinel: SIGSTOP", OutageScenario.settings(group.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      RedisProcess first = group.primary();
      first.suspend();
      outageScenario.awaitFallback();
      group.failOver(first);
      outageScenario.phase("recovery").awaitRedis();
      first.resume();
      outageScenario.phase("resumed").goOn().awaitRedis().stop().verifyLimits();
    }
  }

  /** A requested failover: the old primary lives on, as a replica. */
  @Test
  void sentinelsFailOverOnRequest() throws Exception {
    try (RedisReplicas group = RedisReplicas.start(RedisProgram.chosen(), 1);
        OutageScenario outageScenario =
            new OutageScenario("SENTINEL FAILOVER", OutageScenario.settings(group.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      RedisProcess first = group.primary();
      RedisProcess sentinel = group.sentinels().get(0);
      Await.holds(
          "failover requested",
          () -> "OK".equals(sentinel.call("SENTINEL", "FAILOVER", RedisReplicas.NAME)));
      RedisProcess second = group.awaitPrimaryOtherThan(first);
      outageScenario.phase("recovery").awaitRedis();
      long calls = second.calls("evalsha");
      outageScenario.goOn();
      assertThat(second.calls("evalsha")).as("sent to the new primary").isGreaterThan(calls);
      outageScenario.stop().verifyLimits();
    }
  }

  /** Sentinels that are gone are no reason not to decide. */
  @Test
  void survivesTheLossOfSentinels() throws Exception {
    try (RedisReplicas group = RedisReplicas.start(RedisProgram.chosen(), 1);
        OutageScenario outageScenario =
            new OutageScenario("Sentinels killed", RedisSuite.patient(group.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      group.sentinels().forEach(RedisProcess::kill);
      outageScenario.goOn().goOn();
      outageScenario.verifyAllDecided().stop().verifyLedger().verifyLimits();
    }
  }

  /**
   * All slots of a shard move to another and back, with their keys, without any effect on callers.
   */
  @Test
  void survivesMovingSlots() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen());
        OutageScenario outageScenario =
            new OutageScenario("resharding", RedisSuite.patient(cluster.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      List<Integer> slots = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        slots.add(cluster.slot("key-" + i));
      }
      for (int round = 0; round < 3; round++) {
        for (int slot : slots) {
          RedisProcess owner = cluster.owner(slot);
          int shard = owner == cluster.shard(0) ? 1 : owner == cluster.shard(1) ? 2 : 0;
          cluster.move(slot, cluster.shard(shard));
        }
        outageScenario.goOn();
      }
      outageScenario.verifyAllDecided().stop().verifyLedger().verifyLimits();
    }
  }

  /** Between the two commands that hand a slot over, keys are at neither place or at both. */
  @Test
  void survivesAHalfMovedSlot() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen());
        OutageScenario outageScenario =
            new OutageScenario("half moved", RedisSuite.patient(cluster.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      int slot = cluster.slot("key-3");
      RedisProcess source = cluster.owner(slot);
      RedisProcess target = source == cluster.shard(0) ? cluster.shard(1) : cluster.shard(0);
      cluster.beginMove(slot, target);
      outageScenario.goOn();
      cluster.moveSomeKeys(slot, target, 3);
      outageScenario.goOn();
      cluster.move(slot, target);
      outageScenario.goOn();
      outageScenario.stop().verifyLedger().verifyLimits();
    }
  }

  /** Its keys are decided without it; the others' are decided as ever. */
  @Test
  void lostShardDoesNotAffectOtherShards() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen());
        OutageScenario outageScenario =
            new OutageScenario("lost shard", OutageScenario.settings(cluster.url()))) {
      outageScenario.awaitRedis();
      RedisProcess lost = cluster.shard(0);
      List<String> gone = new ArrayList<>();
      List<String> left = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        String key = "user-" + i;
        (cluster.owner(cluster.slot(key)) == lost ? gone : left).add(key);
      }
      outageScenario.phase("trouble");
      lost.kill();
      RateLimiter limiter =
          RateLimiter.builder()
              .store(outageScenario.store())
              .name("shards")
              .limit(Limit.tokenBucket(1_000_000).perSecond())
              .onFailure(OnFailure.DENY)
              .build();
      for (String key : gone) {
        Await.holds(key + " is decided without", () -> by(limiter, key) == Origin.FAILURE);
      }
      for (String key : left) {
        Await.holds(key + " is decided by Redis", () -> by(limiter, key) == Origin.STORE);
      }
      outageScenario.goOn().phase("recovery");
      lost.startAgain();
      for (String key : gone) {
        Await.holds(key + " is decided by Redis", () -> by(limiter, key) == Origin.STORE);
      }
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  private static Origin by(RateLimiter limiter, String key) {
    Decision decision = limiter.check(key);
    return decision.origin();
  }

  @Test
  void survivesPromotionInAShard() throws Exception {
    try (CapturedLog log = new CapturedLog("io.weir.redis");
        RedisCluster cluster = RedisCluster.start(RedisProgram.chosen(), 3, 1);
        OutageScenario outageScenario =
            new OutageScenario("shard failover", OutageScenario.settings(cluster.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      cluster.bePatient();
      RedisProcess owner = cluster.owner(cluster.slot("key-1"));
      owner.kill();
      int before = log.lines().size();
      outageScenario.awaitFallback().phase("recovery");
      cluster.beHasty();
      outageScenario.awaitRedis().goOn().stop().verifyLimits();
      assertThat(log.lines().subList(before, log.lines().size()))
          .as("it is dead, although another replies in its place")
          .noneMatch(line -> line.contains(owner.address() + " answers again"));
    }
  }

  /** Nothing depends on a node without slots: an alert on its breaker would be a false alarm. */
  @Test
  void replacedShardLeavesTheStatus() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen(), 3, 1);
        RedisStore store = RedisStore.open(OutageScenario.settings(cluster.url()))) {
      cluster.bePatient();
      RedisProcess owner = cluster.owner(cluster.slot("key-1"));
      Await.holds("all are up", () -> areUp(store) && names(store).contains(owner.address()));
      owner.kill();
      Await.holds("it is down", () -> !areUp(store));
      cluster.beHasty();
      long since = System.nanoTime();
      Await.holds(
          "the dead node is gone", () -> areUp(store) && !names(store).contains(owner.address()));
      assertThat(Duration.ofNanos(System.nanoTime() - since))
          .as("a failover and a look at the table")
          .isLessThan(Duration.ofSeconds(25));
      owner.startAgain(); // as a replica
      cluster.awaitOk();
      assertThat(names(store)).hasSize(4).doesNotContain(owner.address());
      assertThat(areUp(store)).isTrue();
    }
  }

  private static boolean areUp(RedisStore store) {
    return store.status().shards().stream().allMatch(each -> each.state() == State.CLOSED);
  }

  private static List<String> names(RedisStore store) {
    return store.status().shards().stream().map(RedisStatus.Shard::name).toList();
  }

  @Test
  void allShardsAreLostAndComeBack() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen());
        OutageScenario outageScenario =
            new OutageScenario("lost cluster", OutageScenario.settings(cluster.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      cluster.nodes().forEach(RedisProcess::kill);
      outageScenario.awaitFallback().goOn().phase("recovery");
      cluster.nodes().forEach(RedisProcess::startAgain);
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void survivesAHangingShard() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen());
        OutageScenario outageScenario =
            new OutageScenario("hung shard", OutageScenario.settings(cluster.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      RedisProcess owner = cluster.owner(cluster.slot("key-1"));
      owner.suspend();
      outageScenario.awaitFallback().phase("recovery");
      owner.resume();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }
}
