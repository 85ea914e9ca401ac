package io.weir.bench.footprint;

import io.weir.bench.fork.Answers;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import org.openjdk.jol.info.GraphStats;

/**
 * A JVM that fills one limiter and weighs it again and again as it grows, in two ways: by how much
 * more of the heap is used after a collection, and by walking from object to object.
 */
final class FootprintChild {
  private FootprintChild() {}

  public static void main(String[] args) {
    try (Answers answers = new Answers()) {
      Subject subject = Subject.valueOf(args[0]);
      // Load and compile what is needed before the heap is looked at the first time.
      GraphStats.parseInstance(subject.open().gate());
      long before = usedHeap();
      Subject.Filling filling = subject.open();
      for (int size : subject.sizes()) {
        filling.growTo(size);
        long heap = usedHeap() - before;
        long graph = GraphStats.parseInstance(filling.gate()).totalSize();
        answers.say("bytes", size, heap, graph);
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
