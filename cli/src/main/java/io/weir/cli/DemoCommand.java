package io.weir.cli;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows what each algorithm decides for the same few requests. */
@Command(
    name = "demo",
    description =
        "Sends a few requests and prints what is decided: in virtual time, or to a store.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    showDefaultValues = true,
    sortOptions = false)
final class DemoCommand implements Callable<Integer> {
  private static final int MAX_REQUESTS = 10_000;
  private static final String MEMORY = "memory";

  @Spec private CommandSpec spec;

  @Option(
      names = "--algorithm",
      paramLabel = "NAME",
      converter = AlgorithmName.Option.class,
      description = "Only this one: ${COMPLETION-CANDIDATES}.")
  private @Nullable AlgorithmName algorithmName;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Permits a period.",
      defaultValue = "5")
  private long limit;

  @Option(
      names = "--period",
      paramLabel = "TIME",
      converter = DurationOption.class,
      description = "The period.",
      defaultValue = "5s")
  private Duration period;

  @Option(
      names = "--burst",
      paramLabel = "N",
      description = "Token bucket: its size, N of the limit unless set.")
  private @Nullable Long burst;

  @Option(
      names = "--queue",
      paramLabel = "N",
      description = "Leaky bucket: places to wait in, N of the limit unless set.")
  private @Nullable Long queue;

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "How many requests.",
      defaultValue = "20")
  private int requests;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      converter = DurationOption.class,
      description = "Time between requests.",
      defaultValue = "500ms")
  private Duration every;

  @Option(
      names = "--cost",
      paramLabel = "N",
      description = "Permits a request.",
      defaultValue = "1")
  private long cost;

  @Option(
      names = "--store",
      paramLabel = "URL",
      description =
          "Where buckets are kept. In another than memory, such as redis://localhost:6379, time is"
              + " real and others may take part; one algorithm, token-bucket unless set.",
      defaultValue = MEMORY)
  private String store;

  @Option(
      names = "--on-failure",
      paramLabel = "POLICY",
      description = "When the store does not answer: ${COMPLETION-CANDIDATES}.",
      defaultValue = "local")
  private OnFailure onFailure;

  @Override
  public Integer call() {
    if (!store.equals(MEMORY)) {
      algorithmName = algorithmName == null ? AlgorithmName.TOKEN_BUCKET : algorithmName;
      return sendForReal(limits().get(0));
    }
    List<Limit> limits = limits();
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%d requests of cost %d, one every %s%n", requests, cost, seconds(every));
    List<String> summary = new ArrayList<>();
    for (Limit each : limits) {
      out.println();
      summary.add(send(each, out));
    }
    out.println();
    summary.forEach(out::println);
    return 0;
  }

  /** Sends the requests and prints a line for each; returns the line of the summary. */
  private String send(Limit limit, PrintWriter out) {
    ManualTime time = TimeSource.manual();
    RateLimiter limiter = RateLimiter.builder().limit(limit).time(time).build();
    StringBuilder picture = new StringBuilder();
    int allowed = 0;
    out.println(limit);
    out.println("      time  answer   remaining  retry after      delay");
    for (int i = 0; i < requests; i++) {
      Decision decision = limiter.check("caller", cost);
      out.println(line(every.multipliedBy(i), decision));
      picture.append(decision.allowed() ? '+' : '.');
      allowed += decision.allowed() ? 1 : 0;
      time.advance(every);
    }
    return format("%-14s  %d of %d allowed  %s", limit.algorithm(), allowed, requests, picture);
  }

  /** Sends the requests in real time to a store that may be shared. */
  private int sendForReal(Limit limit) {
    PrintWriter out = spec.commandLine().getOut();
    try (Store open = openStore()) {
      RateLimiter limiter =
          RateLimiter.builder().name("demo").limit(limit).store(open).onFailure(onFailure).build();
      out.println(limit + " in " + open);
      out.println("      time  answer   remaining  retry after      delay  by");
      for (int i = 0; i < requests; i++) {
        Decision decision = limiter.check("caller", cost);
        String origin = decision.origin().name().toLowerCase(Locale.ROOT);
        out.println(line(every.multipliedBy(i), decision) + "  " + origin);
        out.flush();
        Thread.sleep(every.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  private Store openStore() {
    try {
      return Store.open(store);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static String line(Duration at, Decision decision) {
    return format(
        "%10s  %-7s  %9d  %11s  %9s",
        seconds(at),
        decision.allowed() ? "allowed" : "refused",
        decision.remaining(),
        decision.retryAfter().map(wait -> wait.isZero() ? "-" : seconds(wait)).orElse("never"),
        decision.delay().isZero() ? "-" : seconds(decision.delay()));
  }

  private List<Limit> limits() {
    require(
        requests >= 1 && requests <= MAX_REQUESTS, "--requests must be from 1 to " + MAX_REQUESTS);
    require(every.toDays() < 365, "--every must be less than a year");
    require(cost >= 0, "--cost must not be negative");
    require(
        burst == null || isShown(AlgorithmName.TOKEN_BUCKET), "--burst is for token-bucket only");
    require(
        queue == null || isShown(AlgorithmName.LEAKY_BUCKET), "--queue is for leaky-bucket only");
    try {
      List<Limit> limits = new ArrayList<>();
      for (AlgorithmName each : AlgorithmName.values()) {
        if (isShown(each)) {
          limits.add(sized(each.limit(limit, period)));
        }
      }
      return limits;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private Limit sized(Limit limit) {
    if (limit instanceof Limit.TokenBucket bucket && burst != null) {
      return bucket.burst(burst);
    }
    if (limit instanceof Limit.LeakyBucket bucket && queue != null) {
      return bucket.queue(queue);
    }
    return limit;
  }

  private boolean isShown(AlgorithmName each) {
    return algorithmName == null || algorithmName == each;
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private static String seconds(Duration duration) {
    return format("%d.%03ds", duration.toSeconds(), duration.toMillisPart());
  }

  private static String format(String form, Object... values) {
    return String.format(Locale.ROOT, form, values);
  }
}
