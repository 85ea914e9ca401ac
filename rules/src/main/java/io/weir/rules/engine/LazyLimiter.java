package io.weir.rules.engine;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limiter of a limit group, opened on first use. It outlives rule sets: see {@link
 * ActiveRules}.
 */
public final class LazyLimiter {
  private final String id;
  private final LimiterFactory limiterFactory;
  private final @Nullable LimiterHandle base;
  private volatile @Nullable RateLimiter limiter;

  public LazyLimiter(String id, LimiterFactory limiterFactory) {
    this.id = id;
    this.limiterFactory = limiterFactory;
    this.base = null;
  }

  /** A limiter on the buckets of {@code base}, which are fixed windows of the same span. */
  public LazyLimiter(LimiterHandle base, LimiterFactory limiterFactory) {
    this.id = base.limitGroup().id();
    this.limiterFactory = limiterFactory;
    this.base = base;
  }

  /** The limiter; null until its first use. */
  @Nullable
  public RateLimiter limiter() {
    return limiter;
  }

  synchronized RateLimiter open(List<Limit> limits, OnFailure onFailure, Consistency consistency) {
    RateLimiter open = limiter;
    if (open == null) {
      open =
          base == null
              ? limiterFactory.open(id, limits, onFailure, consistency)
              : base.limiter().under((Limit.FixedWindow) limits.get(0), onFailure);
      limiter = open;
    }
    return open;
  }
}
