package io.weir.chaos;

import java.time.Duration;

/** Faults of nodes, which do not affect Redis. */
final class NodeFaults {
  private NodeFaults() {}

  static void kill(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.kill();
    step.pause(step.length());
    stage.startAgain(node);
  }

  static void stop(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.suspend();
    step.pause(step.length());
    node.resume();
  }

  /** Stops it repeatedly, each time for less than a failure detection takes. */
  static void stopBriefly(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    Duration each = Duration.ofMillis(50 + Math.floorMod(step.which() / 8, 351));
    long start = System.nanoTime();
    do {
      node.suspend();
      step.pause(each);
      node.resume();
      step.pause(each);
    } while (System.nanoTime() - start < step.length().toNanos());
  }

  /** Shuts it down in good order, and another one joins. */
  static void replace(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.leave();
    step.pause(step.length());
    stage.startAgain(node);
  }

  static void putClockForward(Stage stage, Step step) throws InterruptedException {
    putClock(stage, step, wrong(step));
  }

  static void putClockBack(Stage stage, Step step) throws InterruptedException {
    putClock(stage, step, wrong(step).negated());
  }

  /** Every second time the offset stays until the cluster is repaired, through later faults. */
  private static void putClock(Stage stage, Step step, Duration ahead) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.putClock(ahead);
    stage.awaitClocks();
    step.pause(step.length());
    if (Math.floorMod(step.which(), 2) == 1) {
      node.putClock(Duration.ZERO);
      stage.awaitClocks();
    }
  }

  /** Kills it and restarts it with a wrong clock: too little to detect, or more. */
  static void comeBackAtAWrongTime(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.kill();
    node.putClock(Math.floorMod(step.which(), 2) == 1 ? wrong(step) : wrong(step).negated());
    stage.startAgain(node);
    step.pause(step.length());
  }

  /** By the length of the step, or up to four times as much: less than a window, or several. */
  private static Duration wrong(Step step) {
    return step.length().multipliedBy(1 + Math.floorMod(step.which() / 8, 4));
  }

  static void cutOff(Stage stage, Step step) throws InterruptedException {
    Peer node = step.oneOf(stage.nodes()).peer();
    stage.redis().servers().forEach(server -> stage.network().split(node, server.peer()));
    stage.redis().sentinels().forEach(sentinel -> stage.network().split(node, sentinel.peer()));
    step.pause(step.length());
    stage.network().heal();
  }

  /** Redis does not receive its requests. */
  static void cutFrom(Stage stage, Step step) throws InterruptedException {
    Peer node = step.oneOf(stage.nodes()).peer();
    stage.redis().servers().forEach(server -> stage.network().cut(node, server.peer()));
    step.pause(step.length());
    stage.network().heal();
  }

  /** Redis receives and charges its requests, and the replies are lost. */
  static void cutTo(Stage stage, Step step) throws InterruptedException {
    Peer node = step.oneOf(stage.nodes()).peer();
    stage.redis().servers().forEach(server -> stage.network().cut(server.peer(), node));
    step.pause(step.length());
    stage.network().heal();
  }
}
