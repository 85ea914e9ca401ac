package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Store;
import java.time.Duration;

/** Decides while Redis cannot be called. */
interface FallbackDecider {
  Decision check(String key, long cost);

  Decision peek(String key, long cost);

  Buckets.Receipt take(String key, long cost);

  Buckets.Receipt reserve(String key, long cost, Duration longestWait);

  /** Corrects a receipt that this fallback issued. */
  default void settle(Buckets.Receipt receipt, long actualCost) {}

  // While Redis can be called, for fallbacks that count.

  /** Redis has granted {@code cost} permits to {@code key}. */
  default void granted(String key, long cost) {}

  default void refund(String key, long permits) {}

  default void reset(String key) {}

  default void reconfigure(Store.LimiterSpec limiterSpec) {}
}
