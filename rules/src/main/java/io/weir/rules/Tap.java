package io.weir.rules;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limiter for a meter's identity, opened on first use. It outlives rule sets: see {@link
 * Rulebook}.
 */
final class Tap {
  private final String id;
  private final Taps taps;
  private final @Nullable Bound base;
  private volatile @Nullable RateLimiter limiter;

  Tap(String id, Taps taps) {
    this.id = id;
    this.taps = taps;
    this.base = null;
  }

  /** A limiter on the buckets of {@code base}, which are fixed windows of the same span. */
  Tap(Bound base, Taps taps) {
    this.id = base.meter().id();
    this.taps = taps;
    this.base = base;
  }

  /** The limiter; null until its first use. */
  @Nullable RateLimiter limiter() {
    return limiter;
  }

  synchronized RateLimiter open(List<Limit> limits, OnFailure onFailure, Consistency consistency) {
    RateLimiter open = limiter;
    if (open == null) {
      open =
          base == null
              ? taps.open(id, limits, onFailure, consistency)
              : base.limiter().under((Limit.FixedWindow) limits.get(0), onFailure);
      limiter = open;
    }
    return open;
  }
}
