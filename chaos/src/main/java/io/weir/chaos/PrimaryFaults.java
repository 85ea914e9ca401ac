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
  static void pause(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.suspend();
    step.pause(step.length());
    primary.resume();
  }

  static void kill(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.kill();
    comesBack(stage, step, primary);
  }

  /** Kills it while it has more data than its replica, which is then promoted. */
  static void killAhead(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    stage.network().cut(primary.peer(), stage.redis().otherThan(primary).peer());
    step.pause(step.length().dividedBy(3));
    primary.kill();
    comesBack(stage, step, primary);
  }

  /**
   * Every second time it returns empty before it was replaced. A cut path stays cut until then, or
   * the kernel would deliver what the dead process sent.
   */
  private static void comesBack(Stage stage, Step step, RedisServer server)
      throws InterruptedException {
    if (Math.floorMod(step.which(), 2) == 1) {
      stage.redis().awaitFailoverOf(server, FAILOVER);
    }
    step.pause(step.length().dividedBy(2));
    stage.network().heal();
    server.startAgain();
    step.pause(DELUSION);
    stage.redis().rejoin(server);
  }

  /** Stops it until it is replaced; then it resumes in its old state. */
  static void stop(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.suspend();
    stage.redis().awaitFailoverOf(primary, FAILOVER);
    step.pause(step.length().dividedBy(2));
    primary.resume();
    step.pause(DELUSION);
    stage.redis().rejoin(primary);
  }

  /**
   * Kills it and lets it be replaced while a node is stopped, which resumes with its old knowledge.
   */
  static void killBehindANode(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    Node node = step.oneOf(stage.nodes());
    node.suspend();
    primary.kill();
    stage.redis().awaitFailoverOf(primary, FAILOVER);
    node.resume();
    step.pause(step.length().dividedBy(2));
    primary.startAgain();
    step.pause(DELUSION);
    stage.redis().rejoin(primary);
  }

  /** Stops it and a node until it is replaced, and resumes both. */
  static void stopWithANode(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    Node node = step.oneOf(stage.nodes());
    node.suspend();
    primary.suspend();
    stage.redis().awaitFailoverOf(primary, FAILOVER);
    primary.resume();
    node.resume();
    step.pause(DELUSION);
    stage.redis().rejoin(primary);
    step.pause(step.length().dividedBy(2));
  }

  /** All nodes reach it; its replica and the Sentinels do not. */
  static void cutOff(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    List<Peer> others = new ArrayList<>(List.of(stage.redis().otherThan(primary).peer()));
    stage.redis().sentinels().forEach(sentinel -> others.add(sentinel.peer()));
    split(stage, step, primary, List.of(primary.peer()), others);
  }

  /** Only one node reaches it; all others reach each other. */
  static void cutOffWithANode(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    Node node = step.oneOf(stage.nodes());
    List<Peer> others = new ArrayList<>(List.of(stage.redis().otherThan(primary).peer()));
    stage.redis().sentinels().forEach(sentinel -> others.add(sentinel.peer()));
    stage.nodes().stream().filter(other -> other != node).forEach(it -> others.add(it.peer()));
    split(stage, step, primary, List.of(primary.peer(), node.peer()), others);
  }

  private static void split(
      Stage stage, Step step, RedisServer primary, List<Peer> some, List<Peer> others)
      throws InterruptedException {
    for (Peer one : some) {
      others.forEach(other -> stage.network().split(one, other));
    }
    stage.redis().awaitFailoverOf(primary, FAILOVER);
    step.pause(step.length().dividedBy(2));
    stage.network().heal();
    step.pause(DELUSION);
    stage.redis().rejoin(primary);
  }

  /** Kills it and restarts it empty before the failure is detected. */
  static void restartEmpty(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.kill();
    primary.removeSaved();
    primary.startAgain();
    step.pause(step.length());
  }

  /** Kills it and restarts it with old data. */
  static void restartOld(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.call("SAVE");
    step.pause(step.length().dividedBy(2));
    primary.kill();
    primary.startAgain();
    step.pause(step.length());
  }

  /** Deletes its data and the replica's; no server has to be replaced. */
  static void flush(Stage stage, Step step) throws InterruptedException {
    stage.redis().primary().call("FLUSHALL");
    step.pause(step.length());
  }

  static void putClockForward(Stage stage, Step step) throws InterruptedException {
    putClock(stage, step, step.length());
  }

  static void putClockBack(Stage stage, Step step) throws InterruptedException {
    putClock(stage, step, step.length().negated());
  }

  /**
   * Steps the clocks of all nodes and of Redis by the same amount, so that no comparison shows it.
   */
  static void putAllClocksForward(Stage stage, Step step) throws InterruptedException {
    stage.redis().servers().forEach(server -> server.stepClock(step.length()));
    stage.nodes().forEach(node -> node.putClock(node.clockAhead().plus(step.length())));
    stage.awaitClocks();
    step.pause(step.length());
  }

  /** The offset stays until the cluster is repaired: correcting it would be another step. */
  private static void putClock(Stage stage, Step step, Duration by) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.stepClock(by);
    if (Math.floorMod(step.which(), 2) == 1) {
      stage.redis().otherThan(primary).stepClock(by);
    }
    step.pause(step.length());
  }
}
