package io.weir.bench.matching;

import io.weir.bench.fork.Answers;
import io.weir.rules.Domain;
import io.weir.rules.RuleSet;

/**
 * A JVM that makes rules ready again and again and says a line {@code compile MILLIS} for each
 * time. The first is what a start pays, the last what a reload does.
 */
final class CompileChild {
  /** Read by nobody; written so that nothing is optimised away. */
  @SuppressWarnings("unused")
  private static volatile Object sink;

  private CompileChild() {}

  public static void main(String[] args) {
    try (Answers answers = new Answers()) {
      Domain domain = Crowd.of(Integer.parseInt(args[0]));
      int times = Integer.parseInt(args[1]);
      for (int i = 0; i < times; i++) {
        long start = System.nanoTime();
        sink = RuleSet.of(domain);
        answers.say("compile", (System.nanoTime() - start) / 1e6);
      }
    }
  }
}
