package io.weir;

import java.util.Objects;

/**
 * One of several charges that are made all or nothing: see {@link RateLimiter#checkAll}. Immutable.
 *
 * @param limiter the limiter to charge
 * @param key the key to charge
 * @param cost how many permits
 * @param isLook whether the permits must be available but are not taken
 */
public record Charge(RateLimiter limiter, String key, long cost, boolean isLook) {
  /** Checks key and cost. */
  public Charge {
    Objects.requireNonNull(limiter, "limiter");
    RateLimiter.requireKey(key);
    RateLimiter.requireCost(cost);
  }

  /** A charge of {@code cost} permits. */
  public Charge(RateLimiter limiter, String key, long cost) {
    this(limiter, key, cost, false);
  }

  /** A charge of one permit. */
  public static Charge of(RateLimiter limiter, String key) {
    return new Charge(limiter, key, 1);
  }

  /** A charge of {@code cost} permits. */
  public static Charge of(RateLimiter limiter, String key, long cost) {
    return new Charge(limiter, key, cost);
  }

  /** A charge that only requires {@code cost} permits to be available and takes none. */
  public static Charge look(RateLimiter limiter, String key, long cost) {
    return new Charge(limiter, key, cost, true);
  }
}
