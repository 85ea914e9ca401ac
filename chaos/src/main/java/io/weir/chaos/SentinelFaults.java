package io.weir.chaos;

/** Faults of one Sentinel. The two others can still replace a primary. */
final class SentinelFaults {
  private SentinelFaults() {}

  static void kill(Stage stage, Step step) throws InterruptedException {
    RedisServer sentinel = step.oneOf(stage.redis().sentinels());
    sentinel.kill();
    step.pause(step.length());
    sentinel.startAgain();
  }

  /** Nodes reach it, but it reaches no other server. */
  static void cutOff(Stage stage, Step step) throws InterruptedException {
    RedisServer sentinel = step.oneOf(stage.redis().sentinels());
    stage.redis().servers().forEach(it -> stage.network().split(sentinel.peer(), it.peer()));
    stage.redis().sentinels().stream()
        .filter(other -> other != sentinel)
        .forEach(other -> stage.network().split(sentinel.peer(), other.peer()));
    step.pause(step.length());
    stage.network().heal();
  }
}
