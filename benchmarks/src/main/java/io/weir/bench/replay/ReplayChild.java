package io.weir.bench.replay;

import com.sun.management.OperatingSystemMXBean;
import io.weir.Limit;
import io.weir.bench.fork.ChildOutput;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.replay.Summary;
import io.weir.rules.replay.Trace;
import io.weir.rules.replay.TraceReplay;
import io.weir.rules.replay.TraceRequest;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads and replays a file in turns; the first turn of each is a warm-up. */
final class ReplayChild {
  private ReplayChild() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    long lines = Long.parseLong(args[1]);
    int rounds = Integer.parseInt(args[2]);
    Rule rule = Rule.named("user").per("user").limit(Limit.tokenBucket(1).perMinute()).build();
    RuleSet rules = RuleSet.of(new Domain("default", Map.of(), List.of(rule)));
    try (ChildOutput childOutput = new ChildOutput()) {
      for (int round = 0; round <= rounds; round++) {
        measure(childOutput, round, "parse", lines, () -> parse(file));
        measure(childOutput, round, "replay", lines, () -> replay(file, rules));
      }
    }
  }

  /** Reads a file and returns its number of requests. */
  private interface Pass {
    long run() throws IOException;
  }

  private static void measure(
      ChildOutput childOutput, int round, String what, long lines, Pass pass) throws IOException {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = system.getProcessCpuTime();
    long start = System.nanoTime();
    long found = pass.run();
    double seconds = (System.nanoTime() - start) / 1e9;
    double cpuSeconds = (system.getProcessCpuTime() - cpu) / 1e9;
    if (found != lines) {
      throw new IllegalStateException(what + " found " + found + " requests, not " + lines);
    }
    if (round > 0) {
      childOutput.say(what, lines / seconds, lines / cpuSeconds);
    }
  }

  private static long parse(Path file) throws IOException {
    long users = 0;
    try (Trace trace = Trace.open(file)) {
      for (TraceRequest next = trace.next(); next != null; next = trace.next()) {
        users += next.attribute("user") == null ? 0 : 1;
      }
    }
    return users;
  }

  private static long replay(Path file, RuleSet rules) throws IOException {
    try (Trace trace = Trace.open(file)) {
      Summary summary = TraceReplay.by(rules).run(trace);
      return summary.rules().get(0).requests();
    }
  }
}
