package io.weir.bench.matching;

import io.weir.bench.jmh.CpuTimedBenchmark;
import io.weir.rules.RuleSet;
import io.weir.rules.engine.PendingCharge;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Finds the four rules that apply. */
@State(Scope.Thread)
public class RuleMatching extends CpuTimedBenchmark {
  /**
   * Requests before the first measurement. Counted, not timed: within a second on a busy machine,
   * even the compiler may not get a processor.
   */
  private static final int WARM_UP = 2_000_000;

  @Param("10")
  public int rules;

  private RuleSet ruleSet;
  private final SyntheticRequest[] syntheticRequests = SyntheticRequest.all();
  private int next;

  @Setup
  public void compile() {
    ruleSet = RuleSet.of(SyntheticRules.of(rules));
    for (int i = 0; i < WARM_UP; i++) {
      int found = charges().size();
      if (found != 4) {
        throw new IllegalStateException(found + " rules apply instead of 4");
      }
    }
  }

  @Benchmark
  public List<PendingCharge> charges() {
    count();
    next = next + 1 & SyntheticRequest.DIFFERENT - 1;
    return ruleSet.charges(syntheticRequests[next]);
  }
}
