package io.weir.bench.redis.node;

import com.sun.management.OperatingSystemMXBean;
import io.weir.Limit;
import io.weir.bench.fork.ChildOutput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * A JVM with one client library that runs commands from standard input, line by line, until it
 * ends. Times are those of {@link System#nanoTime}, which all processes of a machine share.
 */
public final class Node {
  private static final int CALLERS = 64;
  private static final long FOR_EVER_NANOS = 60_000_000_000L;

  private final Library library;
  private final ChildOutput childOutput;
  private final Map<String, RemoteLimiter<?>> opened = new HashMap<>();
  private RemoteLimiter<?> limiter = new Unopened();
  private int keys;
  private Timeline timeline = new Timeline(0);

  private Node(Library library, ChildOutput childOutput) {
    this.library = library;
    this.childOutput = childOutput;
  }

  /** Arguments: the client, the port of Redis, and parameters of Weir's URL. */
  public static void main(String[] args) throws Exception {
    try (ChildOutput childOutput = new ChildOutput();
        Library library = Client.of(args[0]).connect(Integer.parseInt(args[1]), args[2])) {
      childOutput.say("ready");
      new Node(library, childOutput).runCommands();
    }
    System.exit(0); // even if a library left threads running
  }

  private void runCommands() throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = next(lines); line != null; line = next(lines)) {
      List<String> words = Arrays.asList(line.split(" "));
      switch (words.get(0)) {
        case "open" -> open(words);
        case "log" -> log(words);
        case "closed" -> closed(words);
        case "count" -> count(Long.parseLong(words.get(1)));
        case "latency" -> latency(limiter, words);
        case "record" -> record(limiter, words);
        case "hang" -> hang(Long.parseLong(words.get(1)), Long.parseLong(words.get(2)));
        default -> throw new IllegalArgumentException(line);
      }
    }
  }

  private static String next(BufferedReader lines) throws IOException {
    return lines.readLine();
  }

  /** {@code open NAME KEYS PERMITS PERIOD-MILLIS BURST}: sets the limiter for further commands. */
  private void open(List<String> words) throws Exception {
    keys = Integer.parseInt(words.get(2));
    String name = words.get(1);
    if (!opened.containsKey(name)) {
      Allowance allowance = Allowance.of(words.subList(3, words.size()));
      opened.put(name, library.limiter(name, allowance, names(keys)));
    }
    limiter = opened.get(name);
    childOutput.say("opened");
  }

  /** {@code log NAME KEYS PERMITS}: a sliding log of an hour; Weir only. */
  private void log(List<String> words) {
    keys = Integer.parseInt(words.get(2));
    Limit limit = Limit.slidingLog(Long.parseLong(words.get(3))).per(Duration.ofHours(1));
    limiter = ((WeirLibrary) library).limiter(words.get(1), limit, names(keys));
    childOutput.say("opened");
  }

  /** {@code closed START MILLIS STARTERS}: checks random keys. */
  private void closed(List<String> words) throws InterruptedException {
    long nanos = Long.parseLong(words.get(2)) * 1_000_000;
    SplittableRandom seeds = new SplittableRandom();
    IntFunction<IntSupplier> draws =
        caller -> {
          SplittableRandom random = seeds.split();
          return () -> random.nextInt(keys);
        };
    waitUntil(Long.parseLong(words.get(1)));
    long cpu = cpuNanos();
    ClosedLoop.Counts counts =
        ClosedLoop.run(limiter, CALLERS, Integer.parseInt(words.get(3)), nanos, draws);
    say("closed", counts, cpuNanos() - cpu);
  }

  /** {@code count TOTAL}: makes this many checks, one key after the other. */
  private void count(long total) throws InterruptedException {
    long cpu = cpuNanos();
    ClosedLoop.Counts counts = ClosedLoop.count(limiter, CALLERS, total, keys);
    say("count", counts, cpuNanos() - cpu);
  }

  private void say(String subject, ClosedLoop.Counts counts, long cpu) {
    childOutput.say(
        subject, counts.allowed(), counts.refused(), counts.failed(), counts.nanos(), cpu);
  }

  /** {@code latency START PER-SECOND MILLIS}: percentiles in an open loop. */
  private <A> void latency(RemoteLimiter<A> limiter, List<String> words) {
    double rate = Double.parseDouble(words.get(2));
    int total = (int) (rate * Long.parseLong(words.get(3)) / 1000);
    ConcurrentHistogram times = new ConcurrentHistogram(FOR_EVER_NANOS, 3);
    AtomicLong failed = new AtomicLong();
    OpenLoop.run(
        limiter,
        Long.parseLong(words.get(1)),
        rate,
        total,
        keys,
        (i, due, sentAt, reply) -> {
          boolean isDecided = reply != null && limiter.result(reply) != CheckResult.FAILED;
          // A timeout is not a fast reply: an undecided check counts as the longest wait.
          times.recordValue(isDecided ? System.nanoTime() - due : FOR_EVER_NANOS);
          if (!isDecided) {
            failed.incrementAndGet();
          }
        });
    childOutput.say(
        "latency",
        times.getValueAtPercentile(50),
        times.getValueAtPercentile(99),
        times.getValueAtPercentile(99.9),
        times.getMaxValue(),
        failed.get());
  }

  /** {@code record START PER-SECOND MILLIS}: records the time of each check of an open loop. */
  private <A> void record(RemoteLimiter<A> limiter, List<String> words) {
    double rate = Double.parseDouble(words.get(2));
    int total = (int) (rate * Long.parseLong(words.get(3)) / 1000);
    Timeline recorded = new Timeline(total);
    OpenLoop.run(
        limiter,
        Long.parseLong(words.get(1)),
        rate,
        total,
        keys,
        (i, due, sentAt, reply) ->
            recorded.add(
                i,
                sentAt,
                System.nanoTime() - sentAt,
                reply != null && limiter.result(reply) != CheckResult.FAILED));
    timeline = recorded;
    childOutput.say("recorded", total);
  }

  /** {@code hang STOP GO}: the recorded times around a suspension of Redis. */
  private void hang(long stop, long go) {
    Timeline.Hang hang = timeline.hang(stop, go);
    childOutput.say(
        "hang",
        hang.before(),
        hang.checksBefore(),
        hang.after(),
        hang.checksAfter(),
        hang.normal(),
        hang.calm());
  }

  private static String[] names(int keys) {
    String[] names = new String[keys];
    Arrays.setAll(names, i -> "user-" + i);
    return names;
  }

  private static void waitUntil(long start) {
    for (long left = start - System.nanoTime(); left > 0; left = start - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** No limiter has been opened yet. */
  private static final class Unopened implements RemoteLimiter<Void> {
    @Override
    public CompletionStage<Void> check(int i) {
      throw new IllegalStateException("call open first");
    }

    @Override
    public CheckResult result(Void reply) {
      return CheckResult.FAILED;
    }
  }
}
