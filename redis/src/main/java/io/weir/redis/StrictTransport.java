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
 * The connections of strict limiters to Redis, where replies are released once all replicas have
 * the charges, and the known state of the primary. Thread-safe.
 */
final class StrictTransport implements AutoCloseable {
  private static final long MAX_TRIP_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LARGEST_DRIFT_NANOS = Duration.ofMillis(500).toNanos();
  private static final long TICK_NANOS = Duration.ofMillis(1).toNanos();
  private static final int DRIFT = 1000; // one part in this many

  private final DataIntegrity dataIntegrity;
  private final ShardBreakers shardBreakers;
  private final Deadlines deadlines;
  private final RedisCounters redisCounters;
  private final Timer timer;
  private final RedisTransport redisTransport;
  private final long tripNanos;
  private final byte[] probed;
  private volatile boolean isClosed;

  /** Starts to connect, without waiting for it. */
  StrictTransport(
      RedisSettings settings,
      Clock clock,
      Supplier<List<Script>> scripts,
      Deadlines deadlines,
      RedisCounters redisCounters,
      Timer timer,
      OutageLog outages,
      Consumer<ServerReport> reports) {
    int replicas = settings.replicas().orElseThrow();
    this.deadlines = deadlines;
    this.redisCounters = redisCounters;
    this.timer = timer;
    shardBreakers = new ShardBreakers(RedisStore.PROBE, settings.timeout(), timer, outages);
    tripNanos = Math.min(settings.timeout().toNanos(), MAX_TRIP_NANOS);
    dataIntegrity =
        new DataIntegrity(clock::nanos, clock::wallMicros, replicas, tripNanos, outages::say);
    probed = (settings.prefix() + ":probe").getBytes(StandardCharsets.UTF_8);
    redisTransport =
        TransportFactory.open(
            settings,
            scripts,
            new StrictBreakers(shardBreakers),
            report -> {
              reports.accept(report);
              dataIntegrity.met(report);
            },
            () -> new Acknowledgements(dataIntegrity, settings.prefix(), replicas));
    shardBreakers.probeThrough(redisTransport);
    timer.after(DataIntegrity.BEAT_NANOS, this::look);
  }

  /**
   * Rejects settings that do not support strict consistency.
   *
   * @throws IllegalArgumentException naming the missing setting
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
   * Whether a limiter uses these connections. Strict limiters always do. Leased ones do if the URL
   * has the number of replicas and {@code on_failure} is deny.
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

  /** The names of shards get a suffix, to distinguish them from those for other limiters. */
  private record StrictBreakers(ShardBreakers shardBreakers) implements CircuitBreaker.Factory {
    @Override
    public CircuitBreaker create(String shard, Supplier<byte @Nullable []> key) {
      return shardBreakers.create(shard + " (strict)", key);
    }

    @Override
    public void remove(CircuitBreaker circuitBreaker) {
      shardBreakers.remove(circuitBreaker);
    }
  }

  /** Runs twice a second, which bounds the time to notice a clock step or a change of settings. */
  private void look() {
    if (isClosed) {
      return;
    }
    try {
      redisTransport.look();
      redisTransport.send(new Beat(probed));
    } finally {
      timer.after(DataIntegrity.BEAT_NANOS, this::look);
    }
  }

  /** The sender for limiters of {@code limiterSpec}: it releases no reply that might be wrong. */
  CommandSender commandSender(Store.LimiterSpec limiterSpec) {
    long memory = memoryNanos(limiterSpec);
    return new CommandSender(
        redisTransport, deadlines, redisCounters, () -> dataIntegrity.obstacle(memory));
  }

  /** The minimum time by which a charge takes effect later than it is made; see verbs.lua. */
  long marginMicros() {
    return DataIntegrity.TOLERANCE_MICROS + 2 * tripNanos / 1000;
  }

  /** How long leased permits may be used after the lease is no longer known. */
  private static long leaseNanos(Store.LimiterSpec limiterSpec, long memoryNanos) {
    return limiterSpec.consistency() == Consistency.LEASED
        ? Math.min(
            LimitCodec.MAX_UNMOVED_LEASE_MICROS * 1000, memoryNanos / LimitCodec.LEASES_IN_A_SPAN)
        : 0;
  }

  private long memoryNanos(Store.LimiterSpec limiterSpec) {
    long maxMemoryNanos = 0;
    for (Limit limit : limiterSpec.limits()) {
      maxMemoryNanos = Math.max(maxMemoryNanos, limit.memory().toNanos());
    }
    long drift = Math.min(maxMemoryNanos / DRIFT, LARGEST_DRIFT_NANOS);
    return maxMemoryNanos
        + leaseNanos(limiterSpec, maxMemoryNanos)
        + drift
        + marginMicros() * 1000
        + TICK_NANOS;
  }

  /** For charges that must be made even in doubt, and for refunds. */
  CommandSender corrections() {
    return new CommandSender(redisTransport, deadlines, redisCounters);
  }

  /** How long until limiters of {@code limiterSpec} may grant. */
  Duration left(Store.LimiterSpec limiterSpec) {
    return Duration.ofNanos(dataIntegrity.leftNanos(memoryNanos(limiterSpec)));
  }

  /** Whether it is known that the primary can or cannot be called. */
  boolean isDecided() {
    return shardBreakers.areDecided();
  }

  /** The primary's settings that prevent grants; null if there are none, or they are unknown. */
  @Nullable String fault() {
    return dataIntegrity.fault();
  }

  List<RedisStatus.Shard> status() {
    return shardBreakers.status();
  }

  @Override
  public void close() {
    isClosed = true;
    shardBreakers.close();
    redisTransport.close();
  }

  /** A small write, which the replicas then acknowledge. */
  private static final class Beat extends ScriptCall {
    Beat(byte[] key) {
      super(RedisStore.PROBE, new byte[][] {key}, new byte[0][]);
    }

    @Override
    void onReply(long[] reply) {}

    @Override
    void onFailure(RedisFailure redisFailure) {}
  }
}
