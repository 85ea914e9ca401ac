package io.weir.bench.jmh;

import io.weir.bench.fork.ChildOutput;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** A run of JMH in this JVM, without a fork. */
public final class JmhRun {
  private static final int MEASUREMENTS = 5;

  private JmhRun() {}

  /**
   * Measures one method with one parameter and prints a line {@code METHOD NANOS PROCESSOR_NANOS
   * BYTES}.
   *
   * @param millis the length of each of two warm-ups and five measurements
   */
  public static void say(
      ChildOutput childOutput,
      Class<? extends CpuTimedBenchmark> benchmark,
      String method,
      String parameter,
      String value,
      int millis)
      throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + benchmark.getName() + "\\." + method + "$")
            .param(parameter, value)
            .forks(0)
            .threads(1)
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .warmupIterations(2)
            .warmupTime(TimeValue.milliseconds(millis))
            .measurementIterations(MEASUREMENTS)
            .measurementTime(TimeValue.milliseconds(millis))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    for (RunResult result : new Runner(options.build()).run()) {
      double bytes =
          result.getSecondaryResults().entrySet().stream()
              .filter(entry -> entry.getKey().endsWith("gc.alloc.rate.norm"))
              .mapToDouble(entry -> entry.getValue().getScore())
              .findFirst()
              .orElse(Double.NaN);
      List<Double> all = CpuTimedBenchmark.PROCESSOR_NANOS;
      double processorNanos =
          all.subList(all.size() - MEASUREMENTS, all.size()).stream()
              .mapToDouble(nanos -> nanos)
              .average()
              .orElse(Double.NaN);
      childOutput.say(method, result.getPrimaryResult().getScore(), processorNanos, bytes);
    }
  }
}
