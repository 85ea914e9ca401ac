package io.weir.bench.matching;

import io.weir.bench.fork.ChildOutput;
import io.weir.rules.Domain;
import io.weir.rules.RuleSet;

/**
 * A JVM that compiles rules repeatedly and prints a line {@code compile MILLIS} each time. The
 * first is the cost at a start, the last that of a reload.
 */
final class CompileChild {
  /** Written but never read, so that the JIT cannot remove the work. */
  @SuppressWarnings("unused")
  private static volatile Object sink;

  private CompileChild() {}

  public static void main(String[] args) {
    try (ChildOutput childOutput = new ChildOutput()) {
      Domain domain = SyntheticRules.of(Integer.parseInt(args[0]));
      int times = Integer.parseInt(args[1]);
      for (int i = 0; i < times; i++) {
        long start = System.nanoTime();
        sink = RuleSet.of(domain);
        childOutput.say("compile", (System.nanoTime() - start) / 1e6);
      }
    }
  }
}
