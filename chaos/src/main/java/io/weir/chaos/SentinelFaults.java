package io.weir.chaos;

/** What befalls a Sentinel. The two others are still enough to replace a primary. */
final class SentinelFaults {
  private SentinelFaults() {}

  static void kill(Stage stage, Step step) throws InterruptedException {
    RedisServer sentinel = step.oneOf(stage.redis().sentinels());
    sentinel.kill();
    step.pause(step.length());
    sentinel.startAgain();
  }

  /** Nodes reach it, and it reaches nobody else. */
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
