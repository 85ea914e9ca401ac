package io.weir.bench.matching;

import io.weir.bench.fork.Answers;
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

/**
 * A JVM that measures {@link Claims} with one number of rules and says a line {@code claims NANOS
 * PROCESSOR_NANOS BYTES}. JMH runs inside, without a fork of its own.
 */
final class ClaimsChild {
  private static final int MEASUREMENTS = 5;

  private ClaimsChild() {}

  public static void main(String[] args) throws RunnerException {
    try (Answers answers = new Answers()) {
      ChainedOptionsBuilder options =
          new OptionsBuilder()
              .include("^" + Claims.class.getName() + "\\.claims$")
              .param("rules", args[0])
              .forks(0)
              .threads(1)
              .mode(Mode.AverageTime)
              .timeUnit(TimeUnit.NANOSECONDS)
              .warmupIterations(2)
              .warmupTime(TimeValue.milliseconds(Integer.parseInt(args[1])))
              .measurementIterations(MEASUREMENTS)
              .measurementTime(TimeValue.milliseconds(Integer.parseInt(args[1])))
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
        List<Double> all = Claims.PROCESSOR_NANOS;
        double processorNanos =
            all.subList(all.size() - MEASUREMENTS, all.size()).stream()
                .mapToDouble(nanos -> nanos)
                .average()
                .orElse(Double.NaN);
        answers.say("claims", result.getPrimaryResult().getScore(), processorNanos, bytes);
      }
    }
  }
}
