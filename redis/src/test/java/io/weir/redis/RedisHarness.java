package io.weir.redis;

import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.tck.Harness;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;

/** A store in Redis that goes by a clock of the test's, in whole microseconds. */
final class RedisHarness extends Harness {
  private final Micros time = new Micros();
  private final Store store;
  private int limiters;

  /** The harness of the store that {@code open} opens for a clock. */
  RedisHarness(Function<TimeSource, Store> open) {
    store = open.apply(time);
    time.set(MIDNIGHT);
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.of(Ability.MANUAL_TIME);
  }

  @Override
  public RateLimiter.Builder builder() {
    return RateLimiter.builder().store(store).name("tck-" + limiters++);
  }

  @Override
  public long epochNanos() {
    return time.epochNanos();
  }

  @Override
  public void setNanos(long nanos) {
    time.set(nanos);
  }

  @Override
  public void advance(Duration duration) {
    time.advance(duration);
  }

  @Override
  public void close() {
    store.close();
  }

  /** A clock that is as fine as that of Redis. */
  private static final class Micros implements TimeSource {
    private final ManualTime nanos = TimeSource.manual();

    @Override
    public long epochNanos() {
      return Math.floorDiv(nanos.epochNanos(), 1000) * 1000;
    }

    void set(long epochNanos) {
      nanos.setNanos(epochNanos);
    }

    void advance(Duration duration) {
      nanos.advance(duration);
    }
  }
}
