package io.weir.chaos;

import io.weir.rig.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The attacks of {@link Aim}, which need several events in one order. Each leaves the group with a
 * primary and a replica, and everything else to {@link Stage#heal}.
 */
final class AimedFaults {
  private static final Duration FAILOVER = Duration.ofSeconds(5);
  private static final long[] SKEWS = {400, 3_000, 20_000, 300_000}; // in millionths

  private AimedFaults() {}

  /**
   * Disconnects the replica while a fake reader acknowledges in its place. Then the primary dies,
   * and the replica takes over without the grants made meanwhile.
   */
  static void forgeAcknowledgements(Stage stage, Step step) throws InterruptedException {
    RedisGroup redis = stage.redis();
    RedisServer primary = redis.primary();
    RedisServer replica = redis.otherThan(primary);
    replica.suspend();
    primary.dropReplicas();
    try (ForgedReplica forged = primary.forgeReplica()) {
      Until.holds("the reader acknowledges", forged::isReading);
      step.pause(step.length());
      primary.kill();
    }
    replica.resume();
    redis.failOver();
    redis.awaitFailoverOf(primary, FAILOVER);
    primary.removeSaved();
    primary.startAgain();
    redis.rejoin(primary);
    step.pause(step.length());
    redis.rejoin(primary); // a Sentinel with outdated state may have taken it for the primary
    step.pause(step.length());
  }

  /**
   * Leaves eviction on. The marker of the data set does not expire, and these policies never evict
   * it.
   */
  static void leaveEvictionOn(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    if (Math.floorMod(step.which(), 2) == 1) {
      primary.evict("volatile-ttl", 200_000);
    } else {
      primary.evict("volatile-random", 1_000_000 + Math.floorMod(step.which(), 600_000));
    }
    step.pause(step.length());
  }

  /**
   * The primary's host boots with its clock behind, Redis reads an old file, and then the clock is
   * corrected. By that clock the process is old. It continues its own former history, as a process
   * does that starts as a replica and is promoted.
   */
  static void lookOld(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    RedisServer replica = stage.redis().otherThan(primary);
    Duration behind = Duration.ofSeconds(60 + Math.floorMod(step.which(), 240));
    primary.call("SAVE");
    step.pause(step.length());
    primary.kill();
    primary.stepClock(behind.negated());
    primary.startAgainAsReplicaOf(replica);
    primary.stepClock(behind);
    primary.lead();
    replica.follow(primary);
    step.pause(step.length());
  }

  /**
   * Steps the clock forward and back while no node is active: all keys expire, and the clock is as
   * before.
   */
  static void putClockForthAndBack(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    List<RedisServer> stepped = new ArrayList<>(List.of(primary));
    if (Math.floorMod(step.which(), 2) == 1) {
      stepped.add(stage.redis().otherThan(primary));
    }
    Duration far = Duration.ofSeconds(20 + Math.floorMod(step.which(), 2700));
    stage.nodes().forEach(Node::suspend);
    stepped.forEach(server -> server.stepClock(far));
    primary.touchAll();
    stepped.forEach(server -> server.stepClock(far.negated()));
    stage.nodes().forEach(Node::resume);
    step.pause(step.length());
  }

  /**
   * Steps the clock of Redis forward. Before a node that knew the earlier time has reported it, a
   * node starts that only knows the new time. The others are stopped for less than a second
   * meanwhile.
   */
  static void beginAtAStep(Stage stage, Step step) throws InterruptedException {
    Node newcomer = step.oneOf(stage.nodes());
    Duration far = Duration.ofSeconds(20 + Math.floorMod(step.which(), 600));
    newcomer.kill();
    newcomer.putClock(far);
    newcomer.startAgain();
    List<Node> others = stage.nodes().stream().filter(node -> node != newcomer).toList();
    others.forEach(Node::suspend);
    stage.redis().servers().forEach(server -> server.stepClock(far));
    stage.introduce(newcomer);
    step.pause(Duration.ofMillis(300 + Math.floorMod(step.which(), 200)));
    others.forEach(Node::resume);
    step.pause(step.length());
  }

  /**
   * While all nodes are stopped, the replica restarts with an old file, the primary copies it, and
   * becomes primary again: the same process with different data.
   */
  static void changeHistory(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    RedisServer replica = stage.redis().otherThan(primary);
    replica.call("SAVE");
    step.pause(step.length());
    stage.nodes().forEach(Node::suspend);
    replica.lead();
    replica.kill();
    replica.startAgain();
    primary.follow(replica);
    Until.holds("the primary has the old data", () -> primary.follows(replica));
    primary.lead();
    replica.follow(primary);
    Until.holds("the replica follows again", () -> replica.follows(primary));
    stage.nodes().forEach(Node::resume);
    step.pause(step.length());
  }

  /**
   * Suspends Redis and starts nodes: some have never heard of the others, some know the number of
   * nodes from their state files. In every other schedule they have spent their shares before, and
   * are started once more after it.
   */
  static void startInAnOutage(Stage stage, Step step) throws InterruptedException {
    List<Node> nodes = stage.nodes();
    int first = Math.floorMod(step.which(), nodes.size());
    int count = 1 + Math.floorMod(step.which() / 8, 2);
    List<Node> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(nodes.get((first + i) % nodes.size()));
    }
    boolean haveSpent = Math.floorMod(step.which() / 16, 2) == 1;
    if (!haveSpent) {
      started.forEach(Node::kill);
    }
    stage.redis().servers().forEach(RedisServer::suspend);
    for (int i = 0; i < (haveSpent ? 2 : 1); i++) {
      if (haveSpent) {
        step.pause(step.length());
        started.forEach(Node::kill);
      }
      started.forEach(stage::startAgain);
    }
    step.pause(step.length().multipliedBy(2));
    stage.redis().servers().forEach(RedisServer::resume);
  }

  /**
   * Monotonic clocks of nodes go at other rates: within the thousandth that is assumed, or so much
   * faster and slower that it must be noticed. Then Redis forgets all, and the fast clocks are
   * sooner through the window in which nothing may be granted.
   */
  static void forgetUnderSkewedClocks(Stage stage, Step step) throws InterruptedException {
    long millionths = SKEWS[Math.floorMod(step.which(), SKEWS.length)];
    List<Node> nodes = stage.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.get(i).setRate(i % 2 == 0 ? millionths : -millionths / 2);
    }
    step.pause(step.length());
    stage.redis().primary().call("FLUSHALL");
    step.pause(step.length());
  }
}
