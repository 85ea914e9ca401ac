package io.weir.bench.insight;

import io.weir.bench.fork.ChildOutput;
import io.weir.bench.jmh.JmhRun;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that measures {@link DecisionCost} in one mode and prints a line {@code decide NANOS
 * PROCESSOR_NANOS BYTES}.
 */
final class DecisionCostChild {
  private DecisionCostChild() {}

  public static void main(String[] args) throws RunnerException {
    try (ChildOutput childOutput = new ChildOutput()) {
      JmhRun.say(
          childOutput, DecisionCost.class, "decide", "how", args[0], Integer.parseInt(args[1]));
    }
  }
}
