package io.weir.chaos;

import java.time.Duration;

/** What befalls nodes. Redis knows nothing of it. */
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

  /** Again and again, for less than it takes until anybody gives it up. */
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

  /** It leaves in good order, and another one joins. */
  static void replace(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.leave();
    step.pause(step.length());
    stage.startAgain(node);
  }

  static void cutOff(Stage stage, Step step) throws InterruptedException {
    Peer node = step.oneOf(stage.nodes()).peer();
    stage.redis().servers().forEach(server -> stage.network().split(node, server.peer()));
    stage.redis().sentinels().forEach(sentinel -> stage.network().split(node, sentinel.peer()));
    step.pause(step.length());
    stage.network().heal();
  }

  /** Redis does not hear it. */
  static void cutFrom(Stage stage, Step step) throws InterruptedException {
    Peer node = step.oneOf(stage.nodes()).peer();
    stage.redis().servers().forEach(server -> stage.network().cut(node, server.peer()));
    step.pause(step.length());
    stage.network().heal();
  }

  /** Redis hears and charges, and the answers are lost. */
  static void cutTo(Stage stage, Step step) throws InterruptedException {
    Peer node = step.oneOf(stage.nodes()).peer();
    stage.redis().servers().forEach(server -> stage.network().cut(server.peer(), node));
    step.pause(step.length());
    stage.network().heal();
  }
}
