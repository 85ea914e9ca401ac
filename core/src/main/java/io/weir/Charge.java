package io.weir;

import java.util.Objects;

/**
 * One of several charges that are made all or nothing: see {@link RateLimiter#checkAll}.
 *
 * @param limiter whose limits apply
 * @param key who is charged
 * @param cost how many permits
 */
public record Charge(RateLimiter limiter, String key, long cost) {
  /** Checks key and cost. */
  public Charge {
    Objects.requireNonNull(limiter, "limiter");
    RateLimiter.requireKey(key);
    RateLimiter.requireCost(cost);
  }

  /** A charge of one permit. */
  public static Charge of(RateLimiter limiter, String key) {
    return new Charge(limiter, key, 1);
  }

  /** A charge of {@code cost} permits. */
  public static Charge of(RateLimiter limiter, String key, long cost) {
    return new Charge(limiter, key, cost);
  }
}
