package io.weir.bench.redis;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.bench.program.RedisServer;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.redis.VirtualStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * Users with 100 requests in any minute, some of whom ask far more often than others, through two
 * nodes: how often Redis is called for a check, and how many are refused that one exact limiter
 * would have allowed. In virtual time, since minutes are what it is about.
 */
final class Users {
  private static final Limit LIMIT = Limit.slidingLog(100).perMinute();
  private static final double[] LOADS = {0.5, 1, 2, 5};
  private static final int NODES = 2;
  private static final int MANY = 1000;
  private static final int FEW = 200;
  private static final int MOST_SEEDS = 2;
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long BETWEEN_SWEEPS = Duration.ofMillis(500).toNanos();

  private final Stage stage;
  private final int users;
  private final double[] upTo;

  Users(Stage stage, boolean quick) {
    this.stage = stage;
    this.users = quick ? FEW : MANY;
    this.upTo = zipf(users);
  }

  /** With the weight 1 / rank: up to which share of all requests each user comes. */
  private static double[] zipf(int users) {
    double[] upTo = new double[users];
    double sum = 0;
    for (int i = 0; i < users; i++) {
      sum += 1.0 / (i + 1);
      upTo[i] = sum;
    }
    for (int i = 0; i < users; i++) {
      upTo[i] /= sum;
    }
    return upTo;
  }

  Section run() throws IOException, InterruptedException {
    int seeds = Math.min(MOST_SEEDS, stage.rounds());
    MarkdownTable table =
        new MarkdownTable(
            "load ÷ all that is allowed",
            "allowed, % of the checks",
            "calls a check, exact",
            "calls a check, leased",
            "wrongly refused, % of what is right",
            "too many");
    long over = 0;
    try (RedisServer server = stage.server()) {
      for (double load : LOADS) {
        List<Minute> exact = new ArrayList<>();
        List<Minute> leased = new ArrayList<>();
        for (int seed = 0; seed < seeds; seed++) {
          int number = seed;
          exact.add(stage.watch(() -> minute(server, Consistency.EXACT, load, number)));
          leased.add(stage.watch(() -> minute(server, Consistency.LEASED, load, number)));
        }
        over += leased.stream().mapToLong(Minute::over).sum();
        table.row(
            Numbers.three(load),
            spread(leased, minute -> 100.0 * minute.right() / minute.checks()),
            spread(exact, Minute::callsPerCheck),
            spread(leased, Minute::callsPerCheck),
            spread(leased, Minute::wronglyRefused),
            Numbers.whole(leased.stream().mapToLong(Minute::over).sum()));
        System.err.println("scale users  load " + load + ": " + leased);
      }
    }
    return ScaleScenario.USERS.section(
        "%s users of %s, Zipf 1, %d nodes, the second of two virtual minutes, %d seeds.\n\n%s"
            .formatted(Numbers.whole(users), LIMIT, NODES, seeds, table),
        List.of(new Bar("users: permits granted too many", Bar.Direction.AT_MOST, 0, 0, over, "")));
  }

  private static String spread(List<Minute> minutes, ToDoubleFunction<Minute> number) {
    Spread spread = Spread.of(minutes.stream().mapToDouble(number).toArray());
    return "%.3f (%.3f–%.3f)".formatted(spread.median(), spread.min(), spread.max());
  }

  /**
   * What was seen in a minute.
   *
   * @param right how many one exact limiter allowed
   * @param allowed how many the nodes allowed
   * @param over how many of these one exact limiter that saw only them refused
   */
  private record Minute(long checks, long right, long allowed, long over, long calls) {
    double callsPerCheck() {
      return (double) calls / checks;
    }

    double wronglyRefused() {
      return 100.0 * Math.max(0, right - allowed) / right;
    }
  }

  private Minute minute(RedisServer server, Consistency consistency, double load, int seed)
      throws IOException {
    server.resp().say("FLUSHALL");
    ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:00Z"));
    List<VirtualStore> stores = new ArrayList<>();
    List<RateLimiter> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < NODES; i++) {
        VirtualStore store =
            new VirtualStore("redis://127.0.0.1:" + server.port() + "?timeout=10s&nodes=2", time);
        stores.add(store);
        nodes.add(
            RateLimiter.builder()
                .name("users")
                .limit(LIMIT)
                .store(store.store())
                .onFailure(OnFailure.DENY)
                .consistency(consistency)
                .build());
      }
      return minute(time, stores, nodes, load, seed);
    } finally {
      stores.forEach(VirtualStore::close);
    }
  }

  private Minute minute(
      ManualTime time, List<VirtualStore> stores, List<RateLimiter> nodes, double load, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RateLimiter truth = RateLimiter.builder().limit(LIMIT).time(time).build();
    RateLimiter auditor = RateLimiter.builder().limit(LIMIT).time(time).build();
    long checks = (long) (load * users * LIMIT.permits());
    long step = MINUTE / checks;
    long nextSweep = time.epochNanos();
    long right = 0;
    long allowed = 0;
    long over = 0;
    long calls = 0;
    for (long i = 0; i < 2 * checks; i++) {
      if (i == checks) {
        right = 0;
        allowed = 0;
        calls = calls(stores);
      }
      time.advance(Duration.ofNanos(step));
      if (time.epochNanos() >= nextSweep) {
        stores.forEach(VirtualStore::sweep);
        nextSweep = time.epochNanos() + BETWEEN_SWEEPS;
      }
      String user = "user-" + user(random);
      right += truth.tryAcquire(user) ? 1 : 0;
      if (nodes.get(random.nextInt(NODES)).tryAcquire(user)) {
        allowed++;
        over += auditor.tryAcquire(user) ? 0 : 1;
      }
    }
    return new Minute(checks, right, allowed, over, calls(stores) - calls);
  }

  private int user(SplittableRandom random) {
    int place = Arrays.binarySearch(upTo, random.nextDouble());
    return Math.min(users - 1, place < 0 ? -place - 1 : place);
  }

  private static long calls(List<VirtualStore> stores) {
    return stores.stream().mapToLong(VirtualStore::calls).sum();
  }
}
