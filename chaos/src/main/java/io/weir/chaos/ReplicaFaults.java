package io.weir.chaos;

/** Faults of the replica alone. */
final class ReplicaFaults {
  private ReplicaFaults() {}

  private static RedisServer replica(Stage stage) {
    return stage.redis().otherThan(stage.redis().primary());
  }

  static void kill(Stage stage, Step step) throws InterruptedException {
    RedisServer replica = replica(stage);
    replica.kill();
    step.pause(step.length());
    replica.startAgain();
    stage.redis().rejoin(replica);
  }

  static void stop(Stage stage, Step step) throws InterruptedException {
    RedisServer replica = replica(stage);
    replica.suspend();
    step.pause(step.length());
    replica.resume();
  }

  static void cutOff(Stage stage, Step step) throws InterruptedException {
    RedisServer replica = replica(stage);
    stage.network().split(replica.peer(), stage.redis().otherThan(replica).peer());
    step.pause(step.length());
    stage.network().heal();
  }

  /** Data from the primary is lost, while it keeps sending acknowledgements. */
  static void cutTo(Stage stage, Step step) throws InterruptedException {
    RedisServer replica = replica(stage);
    stage.network().cut(stage.redis().otherThan(replica).peer(), replica.peer());
    step.pause(step.length());
    stage.network().heal();
  }

  /** It receives all data of the primary, and its acknowledgements are lost. */
  static void cutFrom(Stage stage, Step step) throws InterruptedException {
    RedisServer replica = replica(stage);
    stage.network().cut(replica.peer(), stage.redis().otherThan(replica).peer());
    step.pause(step.length());
    stage.network().heal();
  }
}
