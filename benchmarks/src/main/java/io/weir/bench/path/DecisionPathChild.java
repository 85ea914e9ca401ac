package io.weir.bench.path;

import io.weir.bench.fork.ChildOutput;
import io.weir.bench.jmh.JmhRun;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that measures {@link DecisionPath} in one scenario and prints a line {@code decide NANOS
 * PROCESSOR_NANOS BYTES}.
 */
final class DecisionPathChild {
  private DecisionPathChild() {}

  public static void main(String[] args) throws RunnerException {
    try (ChildOutput childOutput = new ChildOutput()) {
      JmhRun.say(
          childOutput,
          DecisionPath.class,
          "decide",
          "scenario",
          args[0],
          Integer.parseInt(args[1]));
    }
  }
}
