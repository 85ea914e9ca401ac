package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Charge;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Receipts;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.SharedRedis;
import io.weir.tck.AlgorithmBounds;
import io.weir.tck.MixedLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Several nodes that lease, over minutes of virtual time: whatever they allowed, at the moments at
 * which it was used, one exact limiter would have allowed too.
 *
 * <p>Calls take their time on the way to Redis and back, the clocks of nodes begin anywhere and run
 * at rates of their own, nodes sleep while they hold permits, and look through their leases when it
 * pleases them; some uses are taken back.
 */
@Tag("slow")
@Timeout(300)
class LeaseAuditTest {
  private static final int NODES = 3;
  private static final int SEEDS = 3;
  private static final int STEPS = 4000;
  private static final int AMBUSHES = 80;
  private static final long MAX_LEASE = Duration.ofMillis(100).toNanos();
  private static final long MILLI = 1_000_000;

  static Stream<List<Limit>> limits() {
    Duration two = Duration.ofSeconds(2);
    return Stream.of(
        List.of(Limit.slidingLog(300).per(two)),
        List.of(Limit.slidingLog(80).per(Duration.ofMillis(250))),
        List.of(Limit.slidingLog(120).per(two), Limit.slidingLog(50).per(two.dividedBy(4))),
        List.of(Limit.tokenBucket(300).per(two).burst(200)),
        List.of(Limit.tokenBucket(40).per(two).burst(400)),
        List.of(Limit.tokenBucket(9000).per(two).burst(600)),
        List.of(Limit.fixedWindow(200).per(Duration.ofSeconds(1))),
        List.of(Limit.slidingWindow(300).per(two)),
        List.of(Limit.slidingEpochs(300).per(two).epochs(4)),
        List.of(Limit.slidingLog(200).per(two), Limit.tokenBucket(100).perSecond().burst(150)),
        List.of(Limit.fixedWindow(400).per(two), Limit.slidingLog(900).per(two.multipliedBy(4))));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void leasesGrantNoMoreThanOneExactLimiter(List<Limit> limits) {
    audit(limits, world -> world.wander(STEPS));
  }

  /** Two nodes take what they can and wait; when their time is nearly over, all want everything. */
  @ParameterizedTest
  @MethodSource("limits")
  void leasesSpentAtTheirLastMomentGrantNoMoreThanOneExactLimiter(List<Limit> limits) {
    audit(limits, world -> world.ambush(AMBUSHES));
  }

  private static void audit(List<Limit> limits, Consumer<World> schedule) {
    int leased = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      SharedRedis.empty();
      try (World world = new World(node -> limits, seed)) {
        schedule.accept(world);
        leased += world.leased;
        audit(limits, world.uses.values(), seed);
      }
    }
    assertThat(leased).as("uses of leases").isGreaterThan(500);
  }

  static Stream<MixedLimits> mixedLimits() {
    Duration two = Duration.ofSeconds(2);
    return Stream.of(
        mixed("log", 300, 80, n -> Limit.slidingLog(n).per(two)),
        mixed("log", 240, 160, n -> Limit.slidingLog(n).per(two)),
        mixed("log", 4, 400, n -> Limit.slidingLog(n).per(two)),
        mixed("bucket, rate", 300, 75, n -> Limit.tokenBucket(n).per(two).burst(200)),
        mixed("bucket, burst", 400, 100, n -> Limit.tokenBucket(200).per(two).burst(n)),
        mixed("bucket, both", 80, 320, n -> Limit.tokenBucket(n).per(two)),
        mixed("bucket, crosswise", 300, 60, n -> Limit.tokenBucket(n).per(two).burst(360 - n)),
        mixed("fixed window", 300, 75, n -> Limit.fixedWindow(n).per(two)),
        mixed("sliding window", 300, 75, n -> Limit.slidingWindow(n).per(two)),
        mixed("epochs", 300, 75, n -> Limit.slidingEpochs(n).per(two).epochs(4)));
  }

  private static MixedLimits mixed(String name, long one, long other, LongFunction<Limit> limit) {
    return new MixedLimits(
        name + " " + one + " and " + other, List.of(limit.apply(one), limit.apply(other)));
  }

  /** As in a rolling deploy. */
  @ParameterizedTest
  @MethodSource("mixedLimits")
  void nodesWithDifferentLimitsUseNoMoreThanTheLargest(MixedLimits mixed) {
    auditMixed(mixed, world -> world.wander(STEPS / 4), 0);
  }

  @ParameterizedTest
  @MethodSource("mixedLimits")
  void nodesWithDifferentLimitsUseNoMoreThanTheLargestEvenAtTheLastMoment(MixedLimits mixed) {
    auditMixed(mixed, world -> world.ambush(AMBUSHES / 4), 1);
  }

  private static void auditMixed(MixedLimits mixed, Consumer<World> schedule, int seed) {
    SharedRedis.empty();
    List<Limit> limits = mixed.limits();
    try (World world = new World(node -> List.of(limits.get(node % limits.size())), seed)) {
      schedule.accept(world);
      assertThat(world.leased).as("uses of leases").isGreaterThan(50);
      audit(List.of(mixed.largest()), world.uses.values(), seed);
      for (List<Use> uses : world.uses.values()) {
        mixed.verify(
            uses.stream()
                .map(
                    use ->
                        new AlgorithmBounds.Grant(use.millis * MILLI, use.cost, use.millis * MILLI))
                .toList());
      }
    }
  }

  /** In the order of their times, all are allowed; and logs are counted by hand too. */
  private static void audit(List<Limit> limits, Iterable<List<Use>> uses, int seed) {
    RateLimiter.Builder builder = RateLimiter.builder();
    limits.forEach(builder::limit);
    RateLimiter exact = builder.build();
    int key = 0;
    for (List<Use> ofKey : uses) {
      ofKey.sort(Comparator.comparingLong(Use::millis));
      for (Use use : ofKey) {
        Decision decision = exact.checkAt("k" + key, use.cost, use.millis);
        assertThat(decision.allowed())
            .as("seed %d, %s at %d: %s", seed, limits, use.millis, use.origin)
            .isTrue();
      }
      for (Limit limit : limits) {
        if (limit instanceof Limit.SlidingLog log) {
          count(log, ofKey);
        }
      }
      key++;
    }
  }

  private static void count(Limit.SlidingLog log, List<Use> uses) {
    int first = 0;
    long sum = 0;
    for (Use use : uses) {
      sum += use.cost;
      while (uses.get(first).millis <= use.millis - log.period().toMillis()) {
        sum -= uses.get(first++).cost;
      }
      assertThat(sum).as("in the window up to %d", use.millis).isLessThanOrEqualTo(log.permits());
    }
  }

  /** A grant and its time: when the node made it, or Redis did. */
  private record Use(long millis, long cost, Origin origin) {}

  /** A grant that may be taken back. */
  private record Open(Receipts receipts, String key, Use use) {}

  private static final class World implements AutoCloseable {
    private final SplittableRandom random;
    private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:00Z"));
    private final List<RedisStore> stores = new ArrayList<>();
    private final List<RateLimiter> nodes = new ArrayList<>();
    private final Map<String, List<Use>> uses = new HashMap<>();
    private final List<Open> open = new ArrayList<>();
    private volatile long redisNanos; // of the last call, which may be one that gives back
    private int leased;

    /** With the limits of each node. */
    World(IntFunction<List<Limit>> limits, int seed) {
      random = new SplittableRandom(seed);
      RedisSettings settings =
          RedisSuite.patient(SharedRedis.empty().url())
              .withRefusalMemory(Duration.ofMillis(3))
              .withLongestLease(Duration.ofNanos(MAX_LEASE))
              .withLeastNodes(1 + seed % NODES);
      for (int i = 0; i < NODES; i++) {
        stores.add(RedisStore.open(settings, clock(), new ManualTimer(0)));
        RateLimiter.Builder builder =
            RateLimiter.builder()
                .name("audit")
                .store(stores.get(i))
                .onFailure(OnFailure.DENY)
                .consistency(Consistency.LEASED);
        limits.apply(i).forEach(builder::limit);
        nodes.add(builder.build());
      }
    }

    /** Begins anywhere, and gains or loses up to a thousandth. */
    private Clock clock() {
      long origin = random.nextLong();
      long start = time.epochNanos();
      long rate = random.nextLong(-10, 11);
      TimeSource onTheWay =
          () -> {
            pass(random.nextLong(2 * MILLI));
            redisNanos = time.epochNanos();
            pass(random.nextInt(5) == 0 ? random.nextLong(40 * MILLI) : random.nextLong(MILLI));
            return redisNanos;
          };
      return Clock.given(
          onTheWay,
          () -> {
            long passed = time.epochNanos() - start;
            return origin + passed + passed / 10_000 * rate;
          });
    }

    private void pass(long nanos) {
      time.advance(Duration.ofNanos(nanos / 1000 * 1000));
    }

    void wander(int steps) {
      int awake = NODES;
      int pause = 1;
      for (int step = 0; step < steps; step++) {
        if (step % 200 == 0) {
          awake = random.nextInt(1, NODES + 1);
          pause = 1 << random.nextInt(4);
        }
        pass(random.nextLong(pause * MILLI / 2));
        if (random.nextInt(150) == 0) {
          pass(random.nextLong(400 * MILLI));
        }
        use(random.nextInt(awake), random.nextInt(8) == 0 ? "cool" : "hot");
        if (random.nextInt(20) == 0) {
          sweep(random.nextInt(NODES));
        }
        if (random.nextInt(25) == 0 && !open.isEmpty()) {
          cancel(open.remove(random.nextInt(open.size())));
        }
      }
    }

    void ambush(int rounds) {
      for (int round = 0; round < rounds; round++) {
        pass(random.nextLong(random.nextInt(3) == 0 ? 4000 * MILLI : 800 * MILLI));
        if (random.nextBoolean()) {
          long untilEdge = 500 * MILLI - Math.floorMod(time.epochNanos(), 500 * MILLI);
          pass(untilEdge - random.nextLong(Math.min(untilEdge, MAX_LEASE)));
        }
        hoard(0);
        pass(random.nextLong(MAX_LEASE));
        hoard(1);
        long end = redisNanos + random.nextLong(MAX_LEASE * 8 / 10, MAX_LEASE * 11 / 10);
        while (time.epochNanos() < end) {
          pass(1000 + random.nextLong(5 * MILLI));
          sweep(random.nextInt(NODES));
        }
        spend(random.nextBoolean() ? 0 : 200_000);
        drain();
        pass(2000 * MILLI - random.nextLong(2 * MAX_LEASE));
        for (int i = 0; i < 30; i++) {
          pass(random.nextLong(8 * MILLI));
          drain();
        }
      }
    }

    /** All that is leased, one by one. */
    private void spend(long pause) {
      int before = leased - 1;
      while (leased > before) {
        before = leased;
        use(0, "hot", 1);
        use(1, "hot", 1);
        pass(pause);
      }
    }

    private void hoard(int node) {
      int checks = random.nextInt(40);
      for (int i = 0; i < checks; i++) {
        use(node, "hot", 1);
        pass(random.nextLong(MILLI / 5));
      }
    }

    /** Takes all that is there, at once. */
    private void drain() {
      long left = nodes.get(2).peek("hot").remaining();
      if (left > 0) {
        use(2, "hot", left);
      }
    }

    private void use(int node, String key) {
      use(node, key, random.nextInt(6) == 0 ? random.nextInt(2, 6) : 1);
    }

    private void use(int node, String key, long cost) {
      Receipts receipts = RateLimiter.takeAll(List.of(Charge.of(nodes.get(node), key, cost)));
      Decision decision = receipts.together();
      assertThat(decision.origin()).isNotEqualTo(Origin.FAILURE);
      if (decision.allowed()) {
        boolean isLeased = decision.origin() == Origin.LEASE;
        leased += isLeased ? 1 : 0;
        long redisMillis = decision.time().toEpochMilli();
        long millis = isLeased ? Math.floorDiv(time.epochNanos(), MILLI) : redisMillis;
        Use use = new Use(millis, cost, decision.origin());
        uses.computeIfAbsent(key, any -> new ArrayList<>()).add(use);
        if (random.nextInt(15) == 0) {
          open.add(new Open(receipts, key, use));
        }
      }
    }

    private void sweep(int node) {
      LeaseManager leaseManager = stores.get(node).leaseManager();
      leaseManager.sweepAll();
      Await.holds("all is given back", leaseManager::isQuiet);
    }

    private void cancel(Open taken) {
      taken.receipts.cancel();
      uses.get(taken.key).remove(taken.use);
    }

    @Override
    public void close() {
      stores.forEach(RedisStore::close);
    }
  }
}
