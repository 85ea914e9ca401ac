package io.weir.chaos;

import java.time.Duration;

/** Faults of nodes, which do not affect Redis. */
final class NodeFaults {
  private NodeFaults() {}

  static void kill(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.kill();
    scheduledFault.pause(scheduledFault.length());
    testCluster.startAgain(nodeProcess);
  }

  static void stop(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.suspend();
    scheduledFault.pause(scheduledFault.length());
    nodeProcess.resume();
  }

  /** Stops it repeatedly, each time for less than a failure detection takes. */
  static void stopBriefly(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    Duration each = Duration.ofMillis(50 + Math.floorMod(scheduledFault.which() / 8, 351));
    long start = System.nanoTime();
    do {
      nodeProcess.suspend();
      scheduledFault.pause(each);
      nodeProcess.resume();
      scheduledFault.pause(each);
    } while (System.nanoTime() - start < scheduledFault.length().toNanos());
  }

  /** Shuts it down in good order, and another one joins. */
  static void replace(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.leave();
    scheduledFault.pause(scheduledFault.length());
    testCluster.startAgain(nodeProcess);
  }

  static void putClockForward(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    putClock(testCluster, scheduledFault, wrong(scheduledFault));
  }

  static void putClockBack(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    putClock(testCluster, scheduledFault, wrong(scheduledFault).negated());
  }

  /** Every second time the offset stays until the cluster is repaired, through later faults. */
  private static void putClock(
      TestCluster testCluster, ScheduledFault scheduledFault, Duration ahead)
      throws InterruptedException {
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.putClock(ahead);
    testCluster.awaitClocks();
    scheduledFault.pause(scheduledFault.length());
    if (Math.floorMod(scheduledFault.which(), 2) == 1) {
      nodeProcess.putClock(Duration.ZERO);
      testCluster.awaitClocks();
    }
  }

  /** Kills it and restarts it with a wrong clock: too little to detect, or more. */
  static void comeBackAtAWrongTime(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    NodeProcess nodeProcess = scheduledFault.oneOf(testCluster.nodes());
    nodeProcess.kill();
    nodeProcess.putClock(
        Math.floorMod(scheduledFault.which(), 2) == 1
            ? wrong(scheduledFault)
            : wrong(scheduledFault).negated());
    testCluster.startAgain(nodeProcess);
    scheduledFault.pause(scheduledFault.length());
  }

  /** By the length of the step, or up to four times as much: less than a window, or several. */
  private static Duration wrong(ScheduledFault scheduledFault) {
    return scheduledFault.length().multipliedBy(1 + Math.floorMod(scheduledFault.which() / 8, 4));
  }

  static void cutOff(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    Peer node = scheduledFault.oneOf(testCluster.nodes()).peer();
    testCluster
        .redis()
        .servers()
        .forEach(server -> testCluster.clusterNetwork().split(node, server.peer()));
    testCluster
        .redis()
        .sentinels()
        .forEach(sentinel -> testCluster.clusterNetwork().split(node, sentinel.peer()));
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }

  /** Redis does not receive its requests. */
  static void cutFrom(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    Peer node = scheduledFault.oneOf(testCluster.nodes()).peer();
    testCluster
        .redis()
        .servers()
        .forEach(server -> testCluster.clusterNetwork().cut(node, server.peer()));
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }

  /** Redis receives and charges its requests, and the replies are lost. */
  static void cutTo(TestCluster testCluster, ScheduledFault scheduledFault)
      throws InterruptedException {
    Peer node = scheduledFault.oneOf(testCluster.nodes()).peer();
    testCluster
        .redis()
        .servers()
        .forEach(server -> testCluster.clusterNetwork().cut(server.peer(), node));
    scheduledFault.pause(scheduledFault.length());
    testCluster.clusterNetwork().heal();
  }
}
