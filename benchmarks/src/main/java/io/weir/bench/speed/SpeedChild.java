package io.weir.bench.speed;

import io.weir.bench.contender.Contender;
import io.weir.bench.fork.ChildOutput;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.runner.options.WarmupMode;

/**
 * A JVM that measures one contender under one load and prints a line {@code ns CASE TIME} for each
 * case.
 *
 * <p>JMH runs inside without forking: this JVM is the fork, for one contender alone, so that no
 * other contender affects the compiled code. All cases are warmed up before the first is measured,
 * so the compiled code has seen both outcomes, as in an application.
 */
final class SpeedChild {
  private final Contender contender;
  private final Load load;
  private final CaseDuration caseDuration;
  private final List<String> methods;

  private SpeedChild(List<String> args) {
    contender = Contender.of(args.get(0));
    load = Load.of(args.get(1));
    caseDuration =
        new CaseDuration(
            Integer.parseInt(args.get(2)),
            Integer.parseInt(args.get(3)),
            Integer.parseInt(args.get(4)));
    methods = args.subList(5, args.size());
  }

  public static void main(String[] args) throws RunnerException {
    try (ChildOutput childOutput = new ChildOutput()) {
      new SpeedChild(List.of(args)).run(childOutput);
    }
  }

  private void run(ChildOutput childOutput) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + load.benchmark().getName() + "\\.(" + String.join("|", methods) + ")$")
            .param("contender", contender.id())
            .param("keys", String.valueOf(load.keys()))
            .forks(0)
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .warmupMode(WarmupMode.BULK_INDI)
            .warmupIterations(1)
            .warmupTime(TimeValue.milliseconds(caseDuration.warmupMillis()))
            .measurementIterations(caseDuration.iterations())
            .measurementTime(TimeValue.milliseconds(caseDuration.measureMillis()))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    for (RunResult result : new Runner(options.build()).run()) {
      String method = result.getPrimaryResult().getLabel();
      childOutput.say("ns", load.caseOf(method), result.getPrimaryResult().getScore());
    }
  }
}
