package io.weir.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The breakers of one store: makes one for each shard that the link finds. */
final class Breakers implements Gate.Factory, AutoCloseable {
  private final Script probe;
  private final Duration deadline;
  private final Failure timeout;
  private final Timer timer;
  private final OutageLog outages;
  private final LongUnaryOperator jitter;
  private final List<Breaker> all = new CopyOnWriteArrayList<>();
  private volatile @Nullable Link link;

  /**
   * Breakers whose probes run {@code probe}, with one key, and are to be answered within {@code
   * deadline}.
   */
  Breakers(Script probe, Duration deadline, Timer timer, OutageLog outages) {
    this(probe, deadline, timer, outages, Breakers::spread);
  }

  Breakers(
      Script probe, Duration deadline, Timer timer, OutageLog outages, LongUnaryOperator jitter) {
    this.probe = probe;
    this.deadline = deadline;
    this.timeout =
        new Failure(Failure.Kind.TIMEOUT, "no answer within " + Words.duration(deadline));
    this.timer = timer;
    this.outages = outages;
    this.jitter = jitter;
  }

  /** A fifth more or less, so that nodes do not probe in step. */
  private static long spread(long nanos) {
    return (long) (nanos * ThreadLocalRandom.current().nextDouble(0.8, 1.2));
  }

  /**
   * The breaker of a shard that was not known before; shut until it is connected and has answered.
   *
   * @param shard its address, for people
   * @param key a key of that shard to probe with; asked anew each time, since slots move; null
   *     while it has none
   */
  @Override
  public Gate create(String shard, Supplier<byte @Nullable []> key) {
    Breaker breaker = new Breaker(shard, key, this);
    all.add(breaker);
    return breaker;
  }

  /** Lets go of the breaker of a shard that is no more. */
  @Override
  public void remove(Gate gate) {
    for (Breaker each : all) {
      if (each == gate) {
        each.close();
        all.remove(each);
      }
    }
  }

  /** Probes go through {@code link}; before this they wait. */
  void probeThrough(Link link) {
    this.link = link;
  }

  /** Whether it is known of each shard that it can be asked, or that it cannot. */
  boolean areDecided() {
    return !all.isEmpty() && all.stream().allMatch(Breaker::isDecided);
  }

  /** Whether every shard that is known can be asked, and does what it should. */
  boolean areAllSound() {
    for (Breaker each : all) {
      if (!each.isSound()) {
        return false;
      }
    }
    return !all.isEmpty();
  }

  /**
   * The state of each shard. A node of a cluster without slots is left out: it is not probed, so
   * after a failover its breaker stays open, but no decision depends on it.
   */
  List<RedisStatus.Shard> status() {
    List<RedisStatus.Shard> shards = new ArrayList<>();
    for (Breaker each : all) {
      if (each.hasKeys()) {
        shards.add(each.status());
      }
    }
    return shards;
  }

  @Nullable Link link() {
    return link;
  }

  Script probe() {
    return probe;
  }

  Duration deadline() {
    return deadline;
  }

  Failure timeout() {
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

  /** Ends all probing. */
  @Override
  public void close() {
    for (Breaker each : all) {
      each.close();
    }
  }
}
