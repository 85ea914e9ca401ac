package io.weir.chaos;

import io.weir.rig.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The attacks of {@link TargetedScenario}, which need several events in one order. Each leaves the
 * group with a primary and a replica, and everything else to {@link TestCluster#heal}.
 */
final class TargetedFaults {
  private static final Duration FAILOVER = Duration.ofSeconds(5);
  private static final long[] SKEWS = {400, 3_000, 20_000, 300_000}; // in millionths

  private TargetedFaults() {}

  /**
   * Disconnects the replica while a fake reader acknowledges in its place. Then the primary dies,
   * and the replica takes over without the grants made meanwhile.
   */
  static void forgeAcknowledgements(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisGroup redis = testCluster.redis();
    RedisServer primary = redis.primary();
    RedisServer replica = redis.otherThan(primary);
    replica.suspend();
    primary.dropReplicas();
    try (ForgedReplica forged = primary.forgeReplica()) {
      Await.holds("the reader acknowledges", forged::isReading);
      scheduledFault.pause(scheduledFault.length());
      primary.kill();
    }
    replica.resume();
    redis.failOver();
    redis.awaitFailoverOf(primary, FAILOVER);
    primary.removeSaved();
    primary.startAgain();
    redis.rejoin(primary);
    scheduledFault.pause(scheduledFault.length());
    redis.rejoin(primary); // a Sentinel with outdated state may have taken it for the primary
    scheduledFault.pause(scheduledFault.length());
  }

  /**
   * Leaves eviction on. The marker of the data set does not expire, and these policies never evict
   * it.
   */
  static void leaveEvictionOn(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    if (Math.floorMod(scheduledFault.which(), 2) == 1) {
      primary.evict("volatile-ttl", 200_000);
    } else {
      primary.evict("volatile-random", 1_000_000 + Math.floorMod(scheduledFault.which(), 600_000));
    }
    scheduledFault.pause(scheduledFault.length());
  }

  /**
   * The primary's host boots with its clock behind, Redis reads an old file, and then the clock is
   * corrected. By that clock the process is old. It continues its own former history, as a process
   * does that starts as a replica and is promoted.
   */
  static void lookOld(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    RedisServer replica = testCluster.redis().otherThan(primary);
    Duration behind = Duration.ofSeconds(60 + Math.floorMod(scheduledFault.which(), 240));
    primary.call("SAVE");
    scheduledFault.pause(scheduledFault.length());
    primary.kill();
    primary.stepClock(behind.negated());
    primary.startAgainAsReplicaOf(replica);
    primary.stepClock(behind);
    primary.lead();
    replica.follow(primary);
    scheduledFault.pause(scheduledFault.length());
  }

  /**
   * Steps the clock forward and back while no node is active: all keys expire, and the clock is as
   * before.
   */
  static void putClockForthAndBack(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    List<RedisServer> stepped = new ArrayList<>(List.of(primary));
    if (Math.floorMod(scheduledFault.which(), 2) == 1) {
      stepped.add(testCluster.redis().otherThan(primary));
    }
    Duration far = Duration.ofSeconds(20 + Math.floorMod(scheduledFault.which(), 2700));
    testCluster.nodes().forEach(NodeProcess::suspend);
    stepped.forEach(server -> server.stepClock(far));
    primary.touchAll();
    stepped.forEach(server -> server.stepClock(far.negated()));
    testCluster.nodes().forEach(NodeProcess::resume);
    scheduledFault.pause(scheduledFault.length());
  }

  /**
   * Steps the clock of Redis forward. Before a node that knew the earlier time has reported it, a
   * node starts that only knows the new time. The others are stopped for less than a second
   * meanwhile.
   */
  static void beginAtAStep(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    NodeProcess newcomer = scheduledFault.oneOf(testCluster.nodes());
    Duration far = Duration.ofSeconds(20 + Math.floorMod(scheduledFault.which(), 600));
    newcomer.kill();
    newcomer.putClock(far);
    newcomer.startAgain();
    List<NodeProcess> others =
        testCluster.nodes().stream().filter(nodeProcess -> nodeProcess != newcomer).toList();
    others.forEach(NodeProcess::suspend);
    testCluster.redis().servers().forEach(server -> server.stepClock(far));
    testCluster.introduce(newcomer);
    scheduledFault.pause(Duration.ofMillis(300 + Math.floorMod(scheduledFault.which(), 200)));
    others.forEach(NodeProcess::resume);
    scheduledFault.pause(scheduledFault.length());
  }

  /**
   * While all nodes are stopped, the replica restarts with an old file, the primary copies it, and
   * becomes primary again: the same process with different data.
   */
  static void changeHistory(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    RedisServer replica = testCluster.redis().otherThan(primary);
    replica.call("SAVE");
    scheduledFault.pause(scheduledFault.length());
    testCluster.nodes().forEach(NodeProcess::suspend);
    replica.lead();
    replica.kill();
    replica.startAgain();
    primary.follow(replica);
    Await.holds("the primary has the old data", () -> primary.follows(replica));
    primary.lead();
    replica.follow(primary);
    Await.holds("the replica follows again", () -> replica.follows(primary));
    testCluster.nodes().forEach(NodeProcess::resume);
    scheduledFault.pause(scheduledFault.length());
  }

  /**
   * Suspends Redis and starts nodes: some have never heard of the others, some know the number of
   * nodes from their state files. In every other schedule they have spent their shares before, and
   * are started once more after it.
   */
  static void startInAnOutage(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    List<NodeProcess> nodes = testCluster.nodes();
    int first = Math.floorMod(scheduledFault.which(), nodes.size());
    int count = 1 + Math.floorMod(scheduledFault.which() / 8, 2);
    List<NodeProcess> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(nodes.get((first + i) % nodes.size()));
    }
    boolean haveSpent = Math.floorMod(scheduledFault.which() / 16, 2) == 1;
    if (!haveSpent) {
      started.forEach(NodeProcess::kill);
    }
    testCluster.redis().servers().forEach(RedisServer::suspend);
    for (int i = 0; i < (haveSpent ? 2 : 1); i++) {
      if (haveSpent) {
        scheduledFault.pause(scheduledFault.length());
        started.forEach(NodeProcess::kill);
      }
      started.forEach(testCluster::startAgain);
    }
    scheduledFault.pause(scheduledFault.length().multipliedBy(2));
    testCluster.redis().servers().forEach(RedisServer::resume);
  }

  /**
   * Monotonic clocks of nodes go at other rates: within the thousandth that is assumed, or so much
   * faster and slower that it must be noticed. Then Redis forgets all, and the fast clocks are
   * sooner through the window in which nothing may be granted.
   */
  static void forgetUnderSkewedClocks(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    long millionths = SKEWS[Math.floorMod(scheduledFault.which(), SKEWS.length)];
    List<NodeProcess> nodes = testCluster.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).setRate(i % 2 == 0 ? millionths : -millionths / 2);
    }
    scheduledFault.pause(scheduledFault.length());
    testCluster.redis().primary().call("FLUSHALL");
    scheduledFault.pause(scheduledFault.length());
  }
}
