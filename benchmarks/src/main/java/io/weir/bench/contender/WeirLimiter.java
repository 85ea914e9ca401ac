package io.weir.bench.contender;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.TimeSource;

/** Weir in memory with default settings, and capacity for more keys than any case has. */
public final class WeirLimiter implements KeyedLimiter {
  private static final long MAX_KEYS = 20_000_000;

  private final RateLimiter limiter;

  /** A limiter of its own. */
  public WeirLimiter(Limit limit, TimeSource time) {
    limiter = RateLimiter.builder().limit(limit).time(time).maxKeys(MAX_KEYS).build();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiter.tryAcquire(key);
  }

  /** Takes one permit and returns the full decision. */
  public Decision check(String key) {
    return limiter.check(key);
  }

  /** The approximate number of keys stored now. */
  public long keys() {
    return limiter.keys();
  }
}
