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
import io.weir.redis.VirtualStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Users with 100 requests in any minute, through two nodes; some send far more requests than
 * others. Measures how often Redis is called for a check, and how many checks are refused that one
 * exact limiter would have allowed. Runs in virtual time, since it covers minutes.
 *
 * <p>A user's limit does not depend on other users. So each user is simulated separately, and some
 * stand for many with about the same rate.
 */
final class Users {
  private static final Limit LIMIT = Limit.slidingLog(100).perMinute();
  private static final double[] LOADS = {0.5, 1, 2, 5};
  private static final int NODES = 2;
  private static final int USERS = 100_000;
  private static final double ALIKE = 1.3;
  private static final int MANY = 4000;
  private static final int FEW = 400;
  private static final long MICRO = 1000; // the resolution of Redis's clock
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final Duration BETWEEN_SWEEPS = Duration.ofMillis(500);

  private final RedisSetup redisSetup;
  private final int seen;

  /** A consistency: exact, or with leases of at most this many seconds. */
  private record Way(Consistency consistency, String lease) {
    static final Way EXACT = new Way(Consistency.EXACT, "0s");

    @Override
    public String toString() {
      return consistency == Consistency.EXACT ? "exact" : "leased, " + lease;
    }
  }

  private static final List<Way> WAYS =
      List.of(
          Way.EXACT,
          new Way(Consistency.LEASED, "4s"),
          new Way(Consistency.LEASED, "8s"),
          new Way(Consistency.LEASED, "15s"),
          new Way(Consistency.LEASED, "30s"));

  Users(RedisSetup redisSetup, boolean quick) {
    this.redisSetup = redisSetup;
    this.seen = quick ? FEW : MANY;
  }

  Section run() throws IOException, InterruptedException {
    MarkdownTable table =
        new MarkdownTable(
            "load ÷ all that is allowed",
            "allowed, % of the checks",
            "way",
            "calls a check",
            "wrongly refused, % of what is right",
            "too many");
    double over = 0;
    try (RedisServer server = redisSetup.server()) {
      for (double load : LOADS) {
        for (Way way : WAYS) {
          Sum sum = redisSetup.watch(() -> all(server, way, load));
          over += sum.over;
          table.row(
              Numbers.three(load),
              "%.1f".formatted(100 * sum.right / sum.checks),
              way.toString(),
              "%.3f".formatted(sum.calls / sum.checks),
              "%.2f".formatted(100 * Math.max(0, sum.right - sum.allowed) / sum.right),
              Numbers.whole((long) sum.over));
          System.err.println("scale users  load " + load + ", " + way + ": " + sum);
        }
      }
    }
    return ScaleScenario.USERS.section(
        "%s users of %s, Zipf 1, %d nodes, the second of two virtual minutes.\n\n%s"
            .formatted(Numbers.whole(USERS), LIMIT, NODES, table),
        List.of(new Bar("users: permits granted too many", Bar.Direction.AT_MOST, 0, 0, over, "")));
  }

  /** The results of a minute, weighted by the number of users that each one represents. */
  private static final class Sum {
    double checks;
    double right; // as many as one exact limiter allowed
    double allowed;
    double over; // allowed checks that one exact limiter, given only these, refused
    double calls;

    void add(Minute minute, double weight) {
      checks += weight * minute.checks;
      right += weight * minute.right;
      allowed += weight * minute.allowed;
      over += weight * minute.over;
      calls += weight * minute.calls;
    }

    @Override
    public String toString() {
      return "%.3f calls a check, %.3f %% wrongly refused, %.0f too many"
          .formatted(calls / checks, 100 * (right - allowed) / right, over);
    }
  }

  private record Minute(long checks, long right, long allowed, long over, long calls) {}

  private Sum all(RedisServer server, Way way, double load) throws IOException {
    server.resp().say("FLUSHALL");
    ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:00Z"));
    String url =
        "redis://127.0.0.1:%d?timeout=10s&nodes=%d&lease=%s"
            .formatted(server.port(), NODES, way.lease);
    try (VirtualStore one = new VirtualStore(url, time);
        VirtualStore other = new VirtualStore(url, time)) {
      List<VirtualStore> stores = List.of(one, other);
      return all(new Nodes(time, stores, way), load);
    }
  }

  private Sum all(Nodes nodes, double load) {
    SplittableRandom random = new SplittableRandom(1);
    double harmonic = 0;
    for (int rank = 1; rank <= USERS; rank++) {
      harmonic += 1.0 / rank;
    }
    double busiestRate =
        load * USERS * LIMIT.permits() / harmonic; // by the busiest user, per minute
    Sum sum = new Sum();
    for (int rank = 1; rank <= USERS; ) {
      int end = (int) Math.min(USERS + 1, Math.max(rank + 1, rank * ALIKE));
      int alike = end - rank;
      double each = busiestRate * (harmonic(rank, end) / alike);
      int sampled = (int) Math.min(alike, Math.ceil(seen / each));
      for (int i = 0; i < sampled; i++) {
        sum.add(nodes.minute("user-" + (rank + i), each, random), (double) alike / sampled);
      }
      rank = end;
    }
    return sum;
  }

  private static double harmonic(int from, int to) {
    double sum = 0;
    for (int rank = from; rank < to; rank++) {
      sum += 1.0 / rank;
    }
    return sum;
  }

  /** The nodes, and the exact limiter as a reference. */
  private static final class Nodes {
    private final ManualTime time;
    private final List<VirtualStore> stores;
    private final List<RateLimiter> nodes = new ArrayList<>();
    private final RateLimiter truth;
    private final RateLimiter auditor;

    Nodes(ManualTime time, List<VirtualStore> stores, Way way) {
      this.time = time;
      this.stores = stores;
      this.truth = RateLimiter.builder().limit(LIMIT).time(time).build();
      this.auditor = RateLimiter.builder().limit(LIMIT).time(time).build();
      for (VirtualStore store : stores) {
        nodes.add(
            RateLimiter.builder()
                .name("users")
                .limit(LIMIT)
                .store(store.store())
                .onFailure(OnFailure.DENY)
                .consistency(way.consistency)
                .build());
      }
    }

    /** One user with {@code each} requests per minute, at random, for two minutes. */
    Minute minute(String user, double each, SplittableRandom random) {
      long start = time.epochNanos();
      long checks = 0;
      long right = 0;
      long allowed = 0;
      long over = 0;
      long before = 0;
      boolean isSecond = false;
      long now = start;
      while (true) {
        now += MICRO * (long) (-Math.log(1 - random.nextDouble()) / each * MINUTE / MICRO);
        if (!isSecond && now - start >= MINUTE) {
          goOn(start + MINUTE);
          isSecond = true;
          checks = 0;
          right = 0;
          allowed = 0;
          before = calls();
        }
        if (now - start >= 2 * MINUTE) {
          break;
        }
        goOn(now);
        checks++;
        right += truth.tryAcquire(user) ? 1 : 0;
        if (nodes.get(random.nextInt(NODES)).tryAcquire(user)) {
          allowed++;
          over += auditor.tryAcquire(user) ? 0 : 1;
        }
      }
      goOn(start + 2 * MINUTE);
      long calls = calls() - before;
      goOn(start + 3 * MINUTE); // the leases of this user must not affect the next one
      return new Minute(checks, right, allowed, over, calls);
    }

    private void goOn(long nanos) {
      long sweep = BETWEEN_SWEEPS.toNanos();
      long now = time.epochNanos();
      while (nanos / sweep > now / sweep) {
        now = (now / sweep + 1) * sweep;
        time.set(Instant.ofEpochSecond(0, now));
        stores.forEach(VirtualStore::sweep);
      }
      time.set(Instant.ofEpochSecond(0, nanos));
    }

    private long calls() {
      return stores.stream().mapToLong(VirtualStore::calls).sum();
    }
  }
}
