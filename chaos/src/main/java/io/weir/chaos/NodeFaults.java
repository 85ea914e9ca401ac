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

  static void putClockForward(Stage stage, Step step) throws InterruptedException {
    putClock(stage, step, wrong(step));
  }

  static void putClockBack(Stage stage, Step step) throws InterruptedException {
    putClock(stage, step, wrong(step).negated());
  }

  /** Every other time it stays so until the stage is healed, whatever goes wrong besides. */
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

  /**
   * It is killed, and comes back where the clock is wrong: so little that nobody can know, or more.
   */
  static void comeBackAtAWrongTime(Stage stage, Step step) throws InterruptedException {
    Node node = step.oneOf(stage.nodes());
    node.kill();
    node.putClock(Math.floorMod(step.which(), 2) == 1 ? wrong(step) : wrong(step).negated());
    stage.startAgain(node);
    step.pause(step.length());
  }

  /** By as long as it lasts, or up to four times as much: less than a window, or several. */
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
