package io.weir.bench.jmh;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A benchmark that measures the processor time of its thread besides JMH's wall-clock time: on an
 * idle machine they are equal.
 */
@State(Scope.Thread)
public abstract class CpuTimedBenchmark {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Processor nanoseconds per call of each iteration so far, warm-ups included. */
  static final List<Double> PROCESSOR_NANOS = new ArrayList<>();

  private long calls;
  private long processorTime;

  /** Begins an iteration. */
  @Setup(Level.Iteration)
  public void start() {
    calls = 0;
    processorTime = THREADS.getCurrentThreadCpuTime();
  }

  /** Ends it. */
  @TearDown(Level.Iteration)
  public void stop() {
    PROCESSOR_NANOS.add((THREADS.getCurrentThreadCpuTime() - processorTime) / (double) calls);
  }

  /** To be called by every measured call. */
  protected final void count() {
    calls++;
  }
}
