package io.weir.bench.matching;

import io.weir.rules.Claim;
import io.weir.rules.RuleSet;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Finds the four rules that apply.
 *
 * <p>Besides JMH's time by the clock, it takes the time that the processor spent on it: on a
 * machine with nothing else to do they are the same.
 */
@State(Scope.Thread)
public class Claims {
  /**
   * Requests before the first measurement. Counted, not timed: in a second on a busy machine, not
   * even the compiler gets its turn.
   */
  private static final int WARM_UP = 2_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Of each iteration so far, warm-ups included, the processor's nanoseconds for a request. */
  static final List<Double> PROCESSOR_NANOS = new ArrayList<>();

  @Param("10")
  public int rules;

  private RuleSet ruleSet;
  private final Visitor[] visitors = Visitor.all();
  private int next;
  private long asked;
  private long processorTime;

  @Setup
  public void compile() {
    ruleSet = RuleSet.of(Crowd.of(rules));
    for (int i = 0; i < WARM_UP; i++) {
      int found = claims().size();
      if (found != 4) {
        throw new IllegalStateException(found + " rules apply instead of 4");
      }
    }
  }

  @Setup(Level.Iteration)
  public void start() {
    asked = 0;
    processorTime = THREADS.getCurrentThreadCpuTime();
  }

  @TearDown(Level.Iteration)
  public void stop() {
    PROCESSOR_NANOS.add((THREADS.getCurrentThreadCpuTime() - processorTime) / (double) asked);
  }

  @Benchmark
  public List<Claim> claims() {
    asked++;
    next = next + 1 & Visitor.DIFFERENT - 1;
    return ruleSet.claims(visitors[next]);
  }
}
