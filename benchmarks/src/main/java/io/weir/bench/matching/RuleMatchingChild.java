package io.weir.bench.matching;

import io.weir.bench.fork.ChildOutput;
import io.weir.bench.jmh.JmhRun;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that measures {@link RuleMatching} with one number of rules and prints a line {@code claims
 * NANOS PROCESSOR_NANOS BYTES}.
 */
final class RuleMatchingChild {
  private RuleMatchingChild() {}

  public static void main(String[] args) throws RunnerException {
    try (ChildOutput childOutput = new ChildOutput()) {
      JmhRun.say(
          childOutput, RuleMatching.class, "claims", "rules", args[0], Integer.parseInt(args[1]));
    }
  }
}
