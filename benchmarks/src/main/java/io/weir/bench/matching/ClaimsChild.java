package io.weir.bench.matching;

import io.weir.bench.fork.Answers;
import io.weir.bench.jmh.JmhRun;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that measures {@link Claims} with one number of rules and prints a line {@code claims NANOS
 * PROCESSOR_NANOS BYTES}.
 */
final class ClaimsChild {
  private ClaimsChild() {}

  public static void main(String[] args) throws RunnerException {
    try (Answers answers = new Answers()) {
      JmhRun.say(answers, Claims.class, "claims", "rules", args[0], Integer.parseInt(args[1]));
    }
  }
}
