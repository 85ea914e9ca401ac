package io.weir.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The breakers of one store: creates one for each shard that the transport finds. */
final class ShardBreakers implements CircuitBreaker.Factory, AutoCloseable {
  private final Script probe;
  private final Duration deadline;
  private final RedisFailure timeout;
  private final Timer timer;
  private final OutageLog outages;
  private final LongUnaryOperator jitter;
  private final List<ShardBreaker> all = new CopyOnWriteArrayList<>();
  private volatile @Nullable RedisTransport redisTransport;

  /**
   * Breakers that probe with {@code probe}, which takes one key and must succeed within {@code
   * deadline}.
   */
  ShardBreakers(Script probe, Duration deadline, Timer timer, OutageLog outages) {
    this(probe, deadline, timer, outages, ShardBreakers::spread);
  }

  ShardBreakers(
      Script probe, Duration deadline, Timer timer, OutageLog outages, LongUnaryOperator jitter) {
    this.probe = probe;
    this.deadline = deadline;
    this.timeout =
        new RedisFailure(
            RedisFailure.Kind.TIMEOUT, "no answer within " + DurationWords.duration(deadline));
    this.timer = timer;
    this.outages = outages;
    this.jitter = jitter;
  }

  /** Varies by a fifth, so that nodes do not probe at the same time. */
  private static long spread(long nanos) {
    return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
  }

  /**
   * The breaker of a new shard, open until the shard is connected and has replied.
   *
   * @param shard its address, for messages
   * @param key supplies a key of that shard for each probe, because slots move; null while it has
   *     none
   */
  @Override
  public CircuitBreaker create(String shard, Supplier<byte @Nullable []> key) {
    ShardBreaker shardBreaker = new ShardBreaker(shard, key, this);
    all.add(shardBreaker);
    return shardBreaker;
  }

  /** Drops the breaker of a removed shard. */
  @Override
  public void remove(CircuitBreaker circuitBreaker) {
    for (ShardBreaker each : all) {
      if (each == circuitBreaker) {
        each.close();
        all.remove(each);
      }
    }
  }

  /** Sends probes through {@code redisTransport}; until then they wait. */
  void probeThrough(RedisTransport redisTransport) {
    this.redisTransport = redisTransport;
  }

  /** Whether each shard was reached, or found unreachable. */
  boolean areDecided() {
    return !all.isEmpty() && all.stream().allMatch(ShardBreaker::isDecided);
  }

  /** Whether every known shard can be called and works. */
  boolean areAllSound() {
    for (ShardBreaker each : all) {
      if (!each.isSound()) {
        return false;
      }
    }
    return !all.isEmpty();
  }

  /**
   * The state of each shard. A cluster node without slots is left out: it is not probed, so after a
   * failover its breaker stays open, but no decision depends on it.
   */
  List<RedisStatus.Shard> status() {
    List<RedisStatus.Shard> shards = new ArrayList<>();
    for (ShardBreaker each : all) {
      if (each.hasKeys()) {
        shards.add(each.status());
      }
    }
    return shards;
  }

  @Nullable RedisTransport redisTransport() {
    return redisTransport;
  }

  Script probe() {
    return probe;
  }

  Duration deadline() {
    return deadline;
  }

  RedisFailure timeout() {
    return timeout;
  }

  Timer timer() {
    return timer;
  }

  OutageLog outages() {
    return outages;
  }

  long jitter(long nanos) {
    return jitter.applyAsLong(nanos);
  }

  /** Stops all probes. */
  @Override
  public void close() {
    for (ShardBreaker each : all) {
      each.close();
    }
  }
}
