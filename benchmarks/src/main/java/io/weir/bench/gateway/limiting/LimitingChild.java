package io.weir.bench.gateway.limiting;

import io.weir.bench.fork.ChildOutput;
import io.weir.bench.jmh.JmhRun;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that measures {@link Limiting} with some rules and prints a line {@code limit NANOS
 * PROCESSOR_NANOS BYTES}.
 */
final class LimitingChild {
  private LimitingChild() {}

  public static void main(String[] args) throws RunnerException {
    try (ChildOutput childOutput = new ChildOutput()) {
      JmhRun.say(childOutput, Limiting.class, "limit", "rules", args[0], Integer.parseInt(args[1]));
    }
  }
}
