package io.weir.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What befalls the primary. Where the Sentinels notice, they make the replica the primary, with
 * what it has.
 */
final class PrimaryFaults {
  /** How long an old primary that comes back takes itself for the primary. */
  private static final Duration DELUSION = Duration.ofMillis(300);

  /** How long a failover is waited for; it may not come, and that is a fault too. */
  private static final Duration FAILOVER = Duration.ofSeconds(3);

  private PrimaryFaults() {}

  /** Hangs, and goes on before anybody has replaced it. */
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

  /** Killed while it knows more than its replica, which is then made the primary. */
  static void killAhead(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    stage.network().cut(primary.peer(), stage.redis().otherThan(primary).peer());
    step.pause(step.length().dividedBy(3));
    primary.kill();
    comesBack(stage, step, primary);
  }

  /**
   * Every other time it is there again before it was replaced, empty. A way that was cut stays so
   * until then: the system would deliver what the dead one has sent.
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

  /** Hangs until it is replaced, and comes back as if nothing had happened. */
  static void stop(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.suspend();
    stage.redis().awaitFailoverOf(primary, FAILOVER);
    step.pause(step.length().dividedBy(2));
    primary.resume();
    step.pause(DELUSION);
    stage.redis().rejoin(primary);
  }

  /** Killed and replaced while a node stands still, which goes on with what it knew before. */
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

  /** It and a node hang until it is replaced, and go on together. */
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

  /** One node reaches it and nobody else; all others reach each other. */
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

  /** Killed, and there again with nothing before anybody notices. */
  static void restartEmpty(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.kill();
    primary.removeSaved();
    primary.startAgain();
    step.pause(step.length());
  }

  /** Killed, and there again with what it knew some time ago. */
  static void restartOld(Stage stage, Step step) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.call("SAVE");
    step.pause(step.length().dividedBy(2));
    primary.kill();
    primary.startAgain();
    step.pause(step.length());
  }

  /** Its data are gone, and the replica's; nobody has to be replaced. */
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

  /** Those of all nodes, and of Redis, by as much: nobody who compares two of them can tell. */
  static void putAllClocksForward(Stage stage, Step step) throws InterruptedException {
    stage.redis().servers().forEach(server -> server.stepClock(step.length()));
    stage.nodes().forEach(node -> node.putClock(node.clockAhead().plus(step.length())));
    stage.awaitClocks();
    step.pause(step.length());
  }

  /** It stays so until the stage is healed: to put it right would be another step. */
  private static void putClock(Stage stage, Step step, Duration by) throws InterruptedException {
    RedisServer primary = stage.redis().primary();
    primary.stepClock(by);
    if (Math.floorMod(step.which(), 2) == 1) {
      stage.redis().otherThan(primary).stepClock(by);
    }
    step.pause(step.length());
  }
}
