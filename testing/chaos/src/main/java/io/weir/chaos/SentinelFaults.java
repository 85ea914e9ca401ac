package io.weir.chaos;

/** Faults of one Sentinel. The two others can still replace a primary. */
final class SentinelFaults {
  private SentinelFaults() {}

  static void kill(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer sentinel = scheduledFault.oneOf(testCluster.redis().sentinels());
    sentinel.kill();
    scheduledFault.pause(scheduledFault.length());
    sentinel.startAgain();
  }

  /** Nodes reach it, but it reaches no other server. */
  static void cutOff(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer sentinel = scheduledFault.oneOf(testCluster.redis().sentinels());
    testCluster
        .redis()
        .servers()
        .forEach(it -> testCluster.clusterNetwork().split(sentinel.peer(), it.peer()));
    testCluster.redis().sentinels().stream()
        .filter(other -> other != sentinel)
        .forEach(other -> testCluster.clusterNetwork().split(sentinel.peer(), other.peer()));
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }
}
