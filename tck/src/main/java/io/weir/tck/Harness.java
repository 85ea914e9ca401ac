package io.weir.tck;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * A store under test, and the clock that its decisions go by.
 *
 * <p>A store in this process takes the suite's {@link ManualTime}. One that has a clock of its own
 * says how to read and how to move that, or that it cannot be moved: tests that need what a store
 * is not able to do are skipped.
 */
public abstract class Harness implements AutoCloseable {
  /** What a store, or its clock, can do beyond what all can. */
  public enum Ability {
    /** The clock stands still until it is told to move, to any nanosecond. */
    MANUAL_TIME,
    /** {@link RateLimiter#checkAt} and {@link RateLimiter#allow}. */
    CALLER_TIME,
    /** {@link RateLimiter.Builder#maxKeys} and the overflow bucket. */
    KEY_CAP
  }

  /** What it can do. */
  public abstract Set<Ability> abilities();

  /** A limiter on the store, under a name that nobody has used; limits are still to be added. */
  public abstract RateLimiter.Builder builder();

  /** The time by which the store would decide now, in nanoseconds since the epoch. */
  public abstract long epochNanos();

  /** Moves to {@code nanos} since the epoch: for {@link Ability#MANUAL_TIME}. */
  public abstract void setNanos(long nanos);

  /** Moves on by {@code duration}; a clock that cannot be moved is waited for. */
  public abstract void advance(Duration duration);

  @Override
  public abstract void close();

  /** A limiter for limits that hold together. */
  public final RateLimiter limiter(Limit... limits) {
    RateLimiter.Builder builder = builder();
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.build();
  }

  /** The harness of a store in this process, which goes by the clock that it is given. */
  public static Harness inProcess(Store store) {
    return inProcess(store, EnumSet.allOf(Ability.class));
  }

  /** The harness of a store in this process that is not able to do everything. */
  public static Harness inProcess(Store store, Set<Ability> abilities) {
    return new InProcess(store, abilities);
  }

  private static final class InProcess extends Harness {
    private final Store store;
    private final Set<Ability> abilities;
    private final ManualTime time = TimeSource.manual();
    private int limiters;

    InProcess(Store store, Set<Ability> abilities) {
      this.store = store;
      this.abilities = abilities;
    }

    @Override
    public Set<Ability> abilities() {
      return abilities;
    }

    @Override
    public RateLimiter.Builder builder() {
      return RateLimiter.builder().store(store).time(time).name("tck-" + limiters++);
    }

    @Override
    public long epochNanos() {
      return time.epochNanos();
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
