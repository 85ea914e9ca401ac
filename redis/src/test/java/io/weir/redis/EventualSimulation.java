package io.weir.redis;

import io.weir.Buckets;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import io.weir.tck.MixedLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * Several nodes that decide locally, a Redis that they report to, and the ways between them, in one
 * thread and in virtual time.
 */
final class EventualSimulation implements AutoCloseable {
  static final int NODES = 3;
  static final long MILLI = 1_000_000;
  static final long SYNC = 100 * MILLI;

  /** The maximum time of a message and its reply. */
  static final long CALL = 20 * MILLI;

  private static final RedisFailure LOST = new RedisFailure(RedisFailure.Kind.TIMEOUT, "lost");

  final Map<String, List<Use>> uses = new HashMap<>();

  private final SplittableRandom random;
  private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-15T12:00:00Z"));
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final RespSocket redis = SharedRedis.empty().connect();
  private final List<Node> nodes = new ArrayList<>();
  private long numbers;

  /** A grant: its time, its node, and how many permits. */
  record Use(long nanos, int node, long cost) {}

  private record Event(long at, long number, Runnable work) {}

  /**
   * @param oneLostOf of how many messages of a node one is lost, there or back; 0 for none
   * @param isDeaf whether nodes ignore the grants of others
   */
  EventualSimulation(List<Limit> limits, int seed, int oneLostOf, boolean isDeaf) {
    this(node -> limits, seed, oneLostOf, isDeaf);
  }

  /** Nodes with limits of their own. */
  EventualSimulation(IntFunction<List<Limit>> limits, int seed, int oneLostOf, boolean isDeaf) {
    random = new SplittableRandom(seed);
    for (int i = 0; i < NODES; i++) {
      nodes.add(new Node(limits.apply(i), oneLostOf, isDeaf));
    }
  }

  /** Checks {@code checks} times, now and then with a pause, {@code perSecond} in between. */
  void wander(int checks, long perSecond) {
    int awake = NODES;
    for (int i = 0; i < checks; i++) {
      if (i % 300 == 0) {
        awake = random.nextInt(1, NODES + 1);
      }
      pass(random.nextLong(2_000_000_000 / perSecond));
      if (random.nextInt(400) == 0) {
        pass(random.nextLong(random.nextInt(8) == 0 ? 30_000 * MILLI : 1000 * MILLI));
      }
      long cost = random.nextInt(6) == 0 ? random.nextInt(2, 6) : 1;
      use(random.nextInt(awake), random.nextInt(8) == 0 ? "cool" : "hot", cost);
    }
  }

  /**
   * Checks {@code checks} times, about twice as often as {@code mixed} allows; some nodes are given
   * other limits meanwhile.
   */
  void deploy(MixedLimits mixed, int checks) {
    long pause = mixed.period().toNanos() / mixed.largest().permits();
    for (int i = 0; i < checks; i++) {
      if (random.nextInt(3) > 0) {
        pass(random.nextLong(3 * pause / 2));
      }
      if (random.nextInt(100) == 0) {
        pass(random.nextLong(2 * mixed.period().toNanos()));
      }
      if (random.nextInt(20) == 0) {
        Limit limit = mixed.limits().get(random.nextInt(mixed.limits().size()));
        nodes.get(random.nextInt(NODES)).reconfigure(List.of(limit));
      }
      use(random.nextInt(NODES), "hot", random.nextInt(6) == 0 ? random.nextInt(2, 6) : 1);
    }
  }

  /** All nodes check equally often. */
  void check(int checks, long perSecond) {
    for (int i = 0; i < checks; i++) {
      pass(1_000_000_000 / perSecond);
      use(i % NODES, "hot", 1);
    }
  }

  private void use(int number, String key, long cost) {
    Node node = nodes.get(number);
    if (node.local.tryAcquire(key, cost)) {
      uses.computeIfAbsent(key, any -> new ArrayList<>())
          .add(new Use(time.epochNanos(), number, cost));
      node.counterSync.granted(key, cost);
    }
  }

  /** Lets time pass, and happen what happens in it. */
  private void pass(long nanos) {
    long until = time.epochNanos() + nanos / 1000 * 1000;
    for (Event next = events.peek(); next != null && next.at <= until; next = events.peek()) {
      events.remove();
      time.setNanos(Math.max(time.epochNanos(), next.at));
      next.work.run();
    }
    time.setNanos(until);
  }

  private void at(long nanos, Runnable work) {
    events.add(new Event(nanos, numbers++, work));
  }

  @Override
  public void close() {
    redis.close();
    nodes.forEach(node -> node.deadlines.close());
  }

  /** A node, its timer and its way to Redis. */
  private final class Node implements Timer, RedisTransport {
    private final Deadlines deadlines = Deadlines.byHand(Duration.ofMinutes(5));
    private final SwitchableBreaker breaker = new SwitchableBreaker();
    private final Buckets local;
    private final CounterSync counterSync;
    private final int oneLostOf;
    private long arrival;
    private int sent;

    Node(List<Limit> limits, int oneLostOf, boolean isDeaf) {
      this.oneLostOf = oneLostOf;
      Store.LimiterSpec limiterSpec = blueprint(limits);
      local = Store.memory().open(limiterSpec);
      Buckets receiver = isDeaf ? Store.memory().open(limiterSpec) : local;
      RedisCounters redisCounters = new RedisCounters();
      SyncManager syncManager =
          new SyncManager(
              RedisSettings.of("nowhere", 1).withSync(Duration.ofNanos(SYNC)),
              new CommandSender(this, deadlines, redisCounters),
              Clock.given(this::arrival, time::epochNanos),
              redisCounters,
              this,
              this);
      counterSync = new CounterSync(syncManager, plan(limits), receiver, 1000);
    }

    private Store.LimiterSpec blueprint(List<Limit> limits) {
      return new Store.LimiterSpec("audit", limits, limits, 1000, time, OnFailure.DENY);
    }

    private static ScriptPlan plan(List<Limit> limits) {
      return ScriptPlan.eventual("test", "audit", limits);
    }

    void reconfigure(List<Limit> limits) {
      local.reconfigure(blueprint(limits)).run();
      counterSync.changeTo(plan(limits));
    }

    /** When what is being written will be there. */
    private long arrival() {
      long way = random.nextLong(random.nextInt(4) == 0 ? CALL / 2 : MILLI);
      arrival = time.epochNanos() + way / 1000 * 1000;
      return arrival;
    }

    @Override
    public void send(ScriptCall scriptCall) {
      long there = arrival;
      boolean isLost = oneLostOf > 0 && ++sent % oneLostOf == 0;
      boolean isLostOnTheWayBack = random.nextBoolean();
      if (isLost && !isLostOnTheWayBack) {
        at(there + CALL / 2, () -> scriptCall.fail(LOST));
        return;
      }
      at(
          there,
          () -> {
            scriptCall.departs();
            ScriptMessage scriptMessage = new ScriptMessage(scriptCall.script(), scriptCall.args());
            long[] reply = ScriptPlanStore.send(redis, scriptCall.keys(), scriptMessage);
            at(
                there + random.nextLong(CALL / 2),
                () -> {
                  if (isLost) {
                    scriptCall.fail(LOST);
                  } else {
                    scriptCall.complete(reply);
                  }
                });
          });
    }

    @Override
    public CircuitBreaker breaker(byte[] key) {
      return breaker;
    }

    @Override
    public void suspect(byte[] key) {}

    @Override
    public long nanoTime() {
      return time.epochNanos();
    }

    @Override
    public void after(long delayNanos, Runnable task) {
      at(time.epochNanos() + delayNanos, task);
    }

    @Override
    public void close() {}
  }
}
