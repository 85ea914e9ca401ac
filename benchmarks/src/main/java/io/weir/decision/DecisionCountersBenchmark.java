package io.weir.decision;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.TimeSource;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the counters add to a decision by one rule, among few and among many rules: all of {@link
 * DecisionCounters}, the request, and the duration of the decision. It is in the counters' package
 * because they are package-private.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecisionCountersBenchmark {
  /** Counters that know their rules, and the decision of one rule. */
  @State(Scope.Benchmark)
  public static class Counted {
    @Param({"1", "10000"})
    public int rules;

    final DecisionCounters decisionCounters = new DecisionCounters();
    final RequestCounters requests = decisionCounters.requests(FrontEnd.SERVICE);
    final TimeSource clock = TimeSource.system().steady();
    Supplier<RuleSet> inForce;
    RequestDecision requestDecision;

    @Setup
    public void decide() {
      StringBuilder yaml = new StringBuilder("rules:\n");
      for (int i = 0; i < rules; i++) {
        yaml.append("  - { name: r").append(i).append(", match: { n: '").append(i);
        yaml.append("' }, per: user, limit: 1000000 per second }\n");
      }
      RuleSet read =
          RuleFiles.read("rules.yaml", yaml.toString().getBytes(UTF_8)).rules().orElseThrow();
      inForce = () -> read;
      String last = Integer.toString(rules - 1);
      requestDecision =
          RequestLimiter.builder(read).build().check(name -> name.equals("n") ? last : "42");
      count();
    }

    void count() {
      decisionCounters.count(requestDecision, inForce);
      requests.count(requestDecision);
    }
  }

  /** The counters alone, without the clock. */
  @Benchmark
  @Threads(1)
  public void untimed(Counted counted) {
    counted.count();
  }

  @Benchmark
  @Threads(1)
  public void alone(Counted counted) {
    long start = counted.clock.epochNanos();
    counted.decisionCounters.time(counted.clock.epochNanos() - start);
    counted.count();
  }

  @Benchmark
  @Threads(2)
  public void twoAtOnce(Counted counted) {
    long start = counted.clock.epochNanos();
    counted.decisionCounters.time(counted.clock.epochNanos() - start);
    counted.count();
  }
}
