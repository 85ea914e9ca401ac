package io.weir.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Faults of the primary. If the Sentinels notice, they promote the replica with the data that it
 * has.
 */
final class PrimaryFaults {
  /** How long a returning old primary considers itself the primary. */
  private static final Duration DELUSION = Duration.ofMillis(300);

  /** How long a failover is awaited; if it does not come, that is a fault too. */
  private static final Duration FAILOVER = Duration.ofSeconds(3);

  private PrimaryFaults() {}

  /** Stops it and resumes it before it is replaced. */
  static void pause(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    primary.suspend();
    scheduledFault.pause(scheduledFault.length());
    primary.resume();
  }

  static void kill(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    primary.kill();
    comesBack(testCluster, scheduledFault, primary);
  }

  /** Kills it while it has more data than its replica, which is then promoted. */
  static void killAhead(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    testCluster.clusterNetwork().cut(primary.peer(), testCluster.redis().otherThan(primary).peer());
    scheduledFault.pause(scheduledFault.length().dividedBy(3));
    primary.kill();
    comesBack(testCluster, scheduledFault, primary);
  }

  /**
   * Every second time it returns empty before it was replaced. A cut path stays cut until then, or
   * the kernel would deliver what the dead process sent.
   */
  private static void comesBack(
      TestCluster testCluster, ScheduledFault scheduledFault, RedisServer server)
      throws InterruptedException {
    if (Math.floorMod(scheduledFault.which(), 2) == 1) {
      testCluster.redis().awaitFailoverOf(server, FAILOVER);
    }
    scheduledFault.pause(scheduledFault.length().dividedBy(2));
    testCluster.clusterNetwork().heal();
    server.startAgain();
    scheduledFault.pause(DELUSION);
    testCluster.redis().rejoin(server);
  }

  /** Stops it until it is replaced; then it resumes in its old state. */
  static void stop(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    primary.suspend();
    testCluster.redis().awaitFailoverOf(primary, FAILOVER);
    scheduledFault.pause(scheduledFault.length().dividedBy(2));
    primary.resume();
    scheduledFault.pause(DELUSION);
    testCluster.redis().rejoin(primary);
  }

  /**
   * Kills it and lets it be replaced while a node is stopped, which resumes with its old knowledge.
   */
  static void killBehindANode(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.suspend();
    primary.kill();
    testCluster.redis().awaitFailoverOf(primary, FAILOVER);
    nodeProcess.resume();
    scheduledFault.pause(scheduledFault.length().dividedBy(2));
    primary.startAgain();
    scheduledFault.pause(DELUSION);
    testCluster.redis().rejoin(primary);
  }

  /** Stops it and a node until it is replaced, and resumes both. */
  static void stopWithANode(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.suspend();
    primary.suspend();
    testCluster.redis().awaitFailoverOf(primary, FAILOVER);
    primary.resume();
    nodeProcess.resume();
    scheduledFault.pause(DELUSION);
    testCluster.redis().rejoin(primary);
    scheduledFault.pause(scheduledFault.length().dividedBy(2));
  }

  /** All nodes reach it; its replica and the Sentinels do not. */
  static void cutOff(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    List<Peer> others = new ArrayList<>(List.of(testCluster.redis().otherThan(primary).peer()));
    testCluster.redis().sentinels().forEach(sentinel -> others.add(sentinel.peer()));
    split(testCluster, scheduledFault, primary, List.of(primary.peer()), others);
  }

  /** Only one node reaches it; all others reach each other. */
  static void cutOffWithANode(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    List<Peer> others = new ArrayList<>(List.of(testCluster.redis().otherThan(primary).peer()));
    testCluster.redis().sentinels().forEach(sentinel -> others.add(sentinel.peer()));
    testCluster.nodes().stream()
        .filter(other -> other != nodeProcess)
        .forEach(it -> others.add(it.peer()));
    split(
        testCluster, scheduledFault, primary, List.of(primary.peer(), nodeProcess.peer()), others);
  }

  private static void split(
      TestCluster testCluster,
      ScheduledFault scheduledFault,
      RedisServer primary,
      List<Peer> some,
      List<Peer> others)
      throws InterruptedException {
    for (Peer one : some) {
      others.forEach(other -> testCluster.clusterNetwork().split(one, other));
    }
    testCluster.redis().awaitFailoverOf(primary, FAILOVER);
    scheduledFault.pause(scheduledFault.length().dividedBy(2));
    testCluster.clusterNetwork().heal();
    scheduledFault.pause(DELUSION);
    testCluster.redis().rejoin(primary);
  }

  /** Kills it and restarts it empty before the failure is detected. */
  static void restartEmpty(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    primary.kill();
    primary.removeSaved();
    primary.startAgain();
    scheduledFault.pause(scheduledFault.length());
  }

  /** Kills it and restarts it with old data. */
  static void restartOld(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    primary.call("SAVE");
    scheduledFault.pause(scheduledFault.length().dividedBy(2));
    primary.kill();
    primary.startAgain();
    scheduledFault.pause(scheduledFault.length());
  }

  /** Deletes its data and the replica's; no server has to be replaced. */
  static void flush(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    testCluster.redis().primary().call("FLUSHALL");
    scheduledFault.pause(scheduledFault.length());
  }

  static void putClockForward(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    putClock(testCluster, scheduledFault, scheduledFault.length());
  }

  static void putClockBack(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    putClock(testCluster, scheduledFault, scheduledFault.length().negated());
  }

  /**
   * Steps the clocks of all nodes and of Redis by the same amount, so that no comparison shows it.
   */
  static void putAllClocksForward(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    testCluster.redis().servers().forEach(server -> server.stepClock(scheduledFault.length()));
    testCluster
        .nodes()
        .forEach(
            nodeProcess ->
                nodeProcess.putClock(nodeProcess.clockAhead().plus(scheduledFault.length())));
    testCluster.awaitClocks();
    scheduledFault.pause(scheduledFault.length());
  }

  /** The offset stays until the cluster is repaired: correcting it would be another step. */
  private static void putClock(TestCluster testCluster, ScheduledFault scheduledFault, Duration by)
      throws InterruptedException {
    RedisServer primary = testCluster.redis().primary();
    primary.stepClock(by);
    if (Math.floorMod(scheduledFault.which(), 2) == 1) {
      testCluster.redis().otherThan(primary).stepClock(by);
    }
    scheduledFault.pause(scheduledFault.length());
  }
}
