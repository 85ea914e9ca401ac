package io.weir.redis;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.redis.RedisSettings.Topology;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way of strict limiters to Redis: connections of their own, on which a reply is told when all
 * replicas have what it tells of, and what is known of the primary.
 */
final class StrictWay implements AutoCloseable {
  private static final long LONGEST_TRIP_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LARGEST_DRIFT_NANOS = Duration.ofMillis(500).toNanos();
  private static final long TICK_NANOS = Duration.ofMillis(1).toNanos();
  private static final int DRIFT = 1000; // one part in so many

  private final Soundness soundness;
  private final Breakers breakers;
  private final Deadlines deadlines;
  private final Counters counters;
  private final Timer timer;
  private final Link link;
  private final long tripNanos;
  private final byte[] probed;
  private volatile boolean isClosed;

  /** Begins to connect; does not wait for it. */
  StrictWay(
      RedisSettings settings,
      Clock clock,
      Supplier<List<Script>> scripts,
      Deadlines deadlines,
      Counters counters,
      Timer timer,
      OutageLog outages,
      Consumer<ServerReport> reports) {
    int replicas = settings.replicas().orElseThrow();
    this.deadlines = deadlines;
    this.counters = counters;
    this.timer = timer;
    breakers = new Breakers(RedisStore.PROBE, settings.timeout(), timer, outages);
    tripNanos = Math.min(settings.timeout().toNanos(), LONGEST_TRIP_NANOS);
    soundness = new Soundness(clock::nanos, clock::wallMicros, replicas, tripNanos, outages::say);
    probed = (settings.prefix() + ":probe").getBytes(StandardCharsets.UTF_8);
    link =
        Links.open(
            settings,
            scripts,
            new Gates(breakers),
            report -> {
              reports.accept(report);
              soundness.met(report);
            },
            () -> new Acknowledgements(soundness, settings.prefix(), replicas));
    breakers.probeThrough(link);
    timer.after(Soundness.BEAT_NANOS, this::look);
  }

  /**
   * Refuses settings with which nothing strict can be promised.
   *
   * @throws IllegalArgumentException saying what to write
   */
  static void require(RedisSettings settings) {
    if (settings.topology() == Topology.CLUSTER) {
      throw new IllegalArgumentException(
          "consistency 'strict' is not for redis-cluster://; use redis:// or redis-sentinel://");
    }
    if (settings.replicas().isEmpty()) {
      throw new IllegalArgumentException(
          "consistency 'strict' needs to know how many replicas the primary has; add replicas=N to"
              + " the URL of the store, 0 if there are none");
    }
  }

  /**
   * Whether it is to be gone: always by who is strict; and by who leases, where the store says how
   * many replicas there are, and who is in doubt wants a no.
   */
  static boolean isFor(RedisSettings settings, Consistency promise, OnFailure policy) {
    return switch (promise) {
      case STRICT -> true;
      case LEASED ->
          policy == OnFailure.DENY
              && settings.replicas().isPresent()
              && settings.topology() != Topology.CLUSTER;
      case EXACT, EVENTUAL -> false;
    };
  }

  /** Shards have the name of those that are not asked strictly, and this in addition. */
  private record Gates(Breakers breakers) implements Gate.Factory {
    @Override
    public Gate create(String shard, Supplier<byte @Nullable []> key) {
      return breakers.create(shard + " (strict)", key);
    }

    @Override
    public void remove(Gate gate) {
      breakers.remove(gate);
    }
  }

  /** Twice a second: so a step of the clock, and a change of settings, is noticed by then. */
  private void look() {
    if (isClosed) {
      return;
    }
    try {
      link.look();
      link.send(new Beat(probed));
    } finally {
      timer.after(Soundness.BEAT_NANOS, this::look);
    }
  }

  /** For limiters of {@code blueprint}: tells no answer that might be wrong. */
  Desk desk(Store.Blueprint blueprint) {
    long memory = memoryNanos(blueprint);
    return new Desk(link, deadlines, counters, () -> soundness.obstacle(memory));
  }

  /** By how much later than it is made a charge counts at least; see verbs.lua. */
  long marginMicros() {
    return Soundness.TOLERANCE_MICROS + 2 * tripNanos / 1000;
  }

  /** Permits that are leased may be used for so long after it is forgotten that they were. */
  private static long leaseNanos(Store.Blueprint blueprint, long memoryNanos) {
    return blueprint.consistency() == Consistency.LEASED
        ? Math.min(Terms.LONGEST_UNMOVED_LEASE * 1000, memoryNanos / Terms.LEASES_IN_A_SPAN)
        : 0;
  }

  private long memoryNanos(Store.Blueprint blueprint) {
    long longest = 0;
    for (Limit limit : blueprint.limits()) {
      longest = Math.max(longest, limit.memory().toNanos());
    }
    long drift = Math.min(longest / DRIFT, LARGEST_DRIFT_NANOS);
    return longest + leaseNanos(blueprint, longest) + drift + marginMicros() * 1000 + TICK_NANOS;
  }

  /** For what has to be charged even in doubt, or is given back. */
  Desk corrections() {
    return new Desk(link, deadlines, counters);
  }

  /** How long it takes yet until limiters of {@code blueprint} grant something. */
  Duration left(Store.Blueprint blueprint) {
    return Duration.ofNanos(soundness.leftNanos(memoryNanos(blueprint)));
  }

  /** Whether it is known if the primary can be asked. */
  boolean isDecided() {
    return breakers.areDecided();
  }

  /** Which settings of the primary are in the way; null if none are, or nobody knows. */
  @Nullable String fault() {
    return soundness.fault();
  }

  List<RedisStatus.Shard> status() {
    return breakers.status();
  }

  @Override
  public void close() {
    isClosed = true;
    breakers.close();
    link.close();
  }

  /** A small write, so that there is something to be acknowledged. */
  private static final class Beat extends Call {
    Beat(byte[] key) {
      super(RedisStore.PROBE, new byte[][] {key}, new byte[0][]);
    }

    @Override
    void onAnswer(long[] reply) {}

    @Override
    void onFailure(Failure failure) {}
  }
}
