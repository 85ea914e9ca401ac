package io.weir.bench.seeing;

import io.weir.bench.fork.Answers;
import io.weir.bench.jmh.JmhRun;
import org.openjdk.jmh.runner.RunnerException;

/**
 * A JVM that measures {@link Deciding} in one mode and prints a line {@code decide NANOS
 * PROCESSOR_NANOS BYTES}.
 */
final class DecidingChild {
  private DecidingChild() {}

  public static void main(String[] args) throws RunnerException {
    try (Answers answers = new Answers()) {
      JmhRun.say(answers, Deciding.class, "decide", "how", args[0], Integer.parseInt(args[1]));
    }
  }
}
