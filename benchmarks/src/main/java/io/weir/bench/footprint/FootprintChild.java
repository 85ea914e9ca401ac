package io.weir.bench.footprint;

import io.weir.bench.fork.ChildOutput;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import org.openjdk.jol.info.GraphStats;

/**
 * A JVM that fills one limiter and measures its size repeatedly as it grows, in two ways: by the
 * growth of the used heap after a collection, and by walking the object graph.
 */
final class FootprintChild {
  private FootprintChild() {}

  public static void main(String[] args) {
    try (ChildOutput childOutput = new ChildOutput()) {
      Subject subject = Subject.valueOf(args[0]);
      // Loads and compiles what is needed before the first reading of the heap.
      GraphStats.parseInstance(subject.open().keyedLimiter());
      long before = usedHeap();
      Subject.Filling filling = subject.open();
      for (int size : subject.sizes()) {
        filling.growTo(size);
        long heap = usedHeap() - before;
        long graph = GraphStats.parseInstance(filling.keyedLimiter()).totalSize();
        childOutput.say("bytes", size, heap, graph);
      }
      Reference.reachabilityFence(filling);
    }
  }

  private static long usedHeap() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
