package io.weir.bench.matching;

import io.weir.bench.fork.ChildOutput;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.file.RuleFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/**
 * A JVM in which one thread checks requests without a pause. In every second turn, another thread
 * reloads a file of many rules, with all limits changed. Prints a line {@code quiet} or {@code
 * reloading} for each turn, with the median, the 99.9th percentile and the longest time of a
 * request in nanoseconds. Prints a line {@code reload READ-MILLIS CHANGE-MILLIS} for each reload.
 */
final class ReloadChild {
  private static final int USERS = 100_000;

  private final AtomicReference<Histogram> times = new AtomicReference<>(histogram());
  private final RequestLimiter limiter;
  private volatile boolean isOver;

  private ReloadChild(RequestLimiter limiter) {
    this.limiter = limiter;
  }

  public static void main(String[] args) throws Exception {
    int rules = Integer.parseInt(args[0]);
    int turns = Integer.parseInt(args[1]);
    int millis = Integer.parseInt(args[2]);
    Path file = Files.createTempFile("bench", ".yaml");
    try (ChildOutput childOutput = new ChildOutput()) {
      Files.writeString(file, yaml(rules, 0));
      ReloadChild child =
          new ReloadChild(RequestLimiter.builder(RuleFiles.load(List.of(file))).build());
      Thread checker = new Thread(child::check, "checker");
      checker.start();
      for (int i = 0; i < turns; i++) {
        Thread.sleep(millis);
        child.say(childOutput, "quiet");
        long end = System.nanoTime() + millis * 1_000_000L;
        for (int change = 1; System.nanoTime() < end; change++) {
          child.reload(file, yaml(rules, change), childOutput);
        }
        child.say(childOutput, "reloading");
      }
      child.isOver = true;
      checker.join();
    } finally {
      Files.delete(file);
    }
  }

  private void reload(Path file, String text, ChildOutput childOutput) throws IOException {
    Files.writeString(file, text);
    long start = System.nanoTime();
    var rules = RuleFiles.load(List.of(file));
    long read = System.nanoTime();
    limiter.reload(rules);
    long changed = System.nanoTime();
    childOutput.say("reload", (read - start) / 1e6, (changed - read) / 1e6);
  }

  private void say(ChildOutput childOutput, String turn) {
    Histogram before = times.getAndSet(histogram());
    childOutput.say(
        turn,
        before.getValueAtPercentile(50),
        before.getValueAtPercentile(99.9),
        before.getMaxValue());
  }

  private static Histogram histogram() {
    return new Histogram(1, 10_000_000_000L, 3);
  }

  private void check() {
    long seed = 1;
    while (!isOver) {
      seed = seed * 6364136223846793005L + 1442695040888963407L;
      Map<String, String> attributes =
          Map.of(
              "user", "user-" + (seed >>> 33) % USERS,
              "ip", "203.0.113.7",
              "method", "GET",
              "path", "/api/v1/orders/17");
      Request request = attributes::get;
      long start = System.nanoTime();
      limiter.check(request);
      times.get().recordValue(Math.min(10_000_000_000L, System.nanoTime() - start));
    }
  }

  /** Many rules, of which two apply to every request; all limits differ between changes. */
  private static String yaml(int rules, int change) {
    StringBuilder text = new StringBuilder("rules:\n");
    rule(text, "orders", "match: { path: \"/api/v1/orders/{id}\" }, per: user", change);
    rule(text, "everything", "per: ip", change);
    for (int i = 2; i < rules; i++) {
      String match =
          switch (i % 3) {
            case 0 -> "path: \"/api/v1/resource-" + i + "/{id}\", method: GET";
            case 1 -> "tier: tier-" + i;
            default -> "ip: 10." + (i >> 8 & 255) + "." + (i & 255) + ".0/24";
          };
      rule(text, "rule-" + i, "match: { " + match + " }, per: user", change);
    }
    return text.toString();
  }

  private static void rule(StringBuilder text, String name, String parts, int change) {
    text.append("  - { name: ").append(name).append(", ").append(parts);
    text.append(", limit: { rate: ").append(1_000_000 + change);
    text.append(" per second, burst: 2000000 } }\n");
  }
}
