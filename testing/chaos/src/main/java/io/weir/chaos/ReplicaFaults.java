package io.weir.chaos;

/** Faults of the replica alone. */
final class ReplicaFaults {
  private ReplicaFaults() {}

  private static RedisServer replica(TestCluster testCluster) {
    return testCluster.redis().otherThan(testCluster.redis().primary());
  }

  static void kill(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer replica = replica(testCluster);
    replica.kill();
    scheduledFault.pause(scheduledFault.length());
    replica.startAgain();
    testCluster.redis().rejoin(replica);
  }

  static void stop(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer replica = replica(testCluster);
    replica.suspend();
    scheduledFault.pause(scheduledFault.length());
    replica.resume();
  }

  static void cutOff(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer replica = replica(testCluster);
    testCluster
        .clusterNetwork()
        .split(replica.peer(), testCluster.redis().otherThan(replica).peer());
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }

  /** Data from the primary is lost, while it keeps sending acknowledgements. */
  static void cutTo(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer replica = replica(testCluster);
    testCluster.clusterNetwork().cut(testCluster.redis().otherThan(replica).peer(), replica.peer());
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }

  /** It receives all data of the primary, and its acknowledgements are lost. */
  static void cutFrom(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    RedisServer replica = replica(testCluster);
    testCluster.clusterNetwork().cut(replica.peer(), testCluster.redis().otherThan(replica).peer());
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }
}
