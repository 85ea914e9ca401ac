package io.weir.tck;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;

/**
 * A store under test, and the clock of its decisions.
 *
 * <p>An in-process store uses the suite's {@link ManualTime}. A store with its own clock provides a
 * way to read and move it, or declares that it cannot be moved. Tests that need a missing ability
 * are skipped.
 */
public abstract class Harness implements AutoCloseable {
  /** Optional abilities of a store or its clock. */
  public enum Ability {
    /** The clock stands still until moved, to any microsecond of this century. */
    MANUAL_TIME,
    /** The clock may be set to any nanosecond of a {@code long}. */
    ANY_ORIGIN,
    /** {@link RateLimiter#checkAt} and {@link RateLimiter#allow}. */
    CALLER_TIME,
    /** {@link RateLimiter.Builder#maxKeys} and the overflow bucket. */
    KEY_CAP,
    /**
     * A change of limits converts all keys at once. Otherwise, each key last touched under other
     * limits is converted at its next request.
     */
    PROMPT_TAKEOVER
  }

  /**
   * A moment that every clock supports, in nanoseconds since the epoch: 4 October 2024, 0:00, where
   * all windows begin that divide a day.
   */
  public static final long MIDNIGHT = Duration.ofDays(20_000).toNanos();

  /** The abilities of the store. */
  public abstract Set<Ability> abilities();

  /** A limiter on the store with an unused name, without limits. */
  public abstract RateLimiter.Builder builder();

  /** The time by which the store would decide now, in nanoseconds since the epoch. */
  public abstract long epochNanos();

  /**
   * Moves to {@code nanos} since the epoch, or to the last earlier moment that the clock supports:
   * for {@link Ability#MANUAL_TIME}.
   */
  public abstract void setNanos(long nanos);

  /** Moves on by {@code duration}; waits if the clock cannot be moved. */
  public abstract void advance(Duration duration);

  @Override
  public abstract void close();

  /** Whether the store has {@code ability}. */
  public final boolean can(Ability ability) {
    return abilities().contains(ability);
  }

  /**
   * Takes at a time given by the caller. A store without that ability uses its own clock, set to
   * that time.
   */
  public final Decision checkAt(RateLimiter limiter, String key, long cost, long epochMillis) {
    if (can(Ability.CALLER_TIME)) {
      return limiter.checkAt(key, cost, epochMillis);
    }
    setNanos(Math.multiplyExact(epochMillis, 1_000_000));
    return limiter.check(key, cost);
  }

  /** A limiter for limits that apply together. */
  public final RateLimiter limiter(Limit... limits) {
    RateLimiter.Builder builder = builder();
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.build();
  }

  private static final Duration NANOSECOND = Duration.ofNanos(1);

  /** The harness of an in-process store, which uses the clock that it is given. */
  public static Harness inProcess(Store store) {
    return inProcess(store, EnumSet.allOf(Ability.class));
  }

  /** The harness of an in-process store with fewer abilities. */
  public static Harness inProcess(Store store, Set<Ability> abilities) {
    return new OnManualTime(time -> store, abilities, NANOSECOND);
  }

  /**
   * The harness of a remote store that receives the clock with each request.
   *
   * @param open opens the store for a clock
   * @param tick the resolution of that clock
   */
  public static Harness remote(
      Function<TimeSource, Store> open, Set<Ability> abilities, Duration tick) {
    return new OnManualTime(open, abilities, tick);
  }

  private static final class OnManualTime extends Harness {
    private final ManualTime time = TimeSource.manual();
    private final TimeSource clock;
    private final Set<Ability> abilities;
    private final Store store;
    private int limiters;

    OnManualTime(Function<TimeSource, Store> open, Set<Ability> abilities, Duration tick) {
      long nanos = tick.toNanos();
      this.clock = () -> time.epochNanos() - Math.floorMod(time.epochNanos(), nanos);
      this.abilities = abilities;
      if (!can(Ability.ANY_ORIGIN)) {
        time.setNanos(MIDNIGHT);
      }
      this.store = open.apply(clock);
    }

    @Override
    public Set<Ability> abilities() {
      return abilities;
    }

    @Override
    public RateLimiter.Builder builder() {
      return RateLimiter.builder().store(store).time(clock).name("tck-" + limiters++);
    }

    @Override
    public long epochNanos() {
      return clock.epochNanos();
    }

    @Override
    public void setNanos(long nanos) {
      time.setNanos(nanos);
    }

    @Override
    public void advance(Duration duration) {
      time.advance(duration);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
