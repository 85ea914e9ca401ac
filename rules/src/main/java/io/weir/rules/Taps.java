package io.weir.rules;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import java.util.List;

/**
 * Opens limiters where buckets are kept.
 *
 * @param maxKeys the most keys with something spent that each limiter keeps apart in this process
 * @param countsRefused limits of descriptors count refused requests: see {@link Counting}
 */
record Taps(Store store, TimeSource time, long maxKeys, boolean countsRefused) {
  RateLimiter open(String id, List<Limit> limits, OnFailure onFailure, Consistency consistency) {
    RateLimiter.Builder builder = RateLimiter.builder().name(id).onFailure(onFailure);
    // Whether the store keeps the promise was asked before: who has a request cannot wait for that.
    builder.consistency(consistency).store(store::open).time(time).maxKeys(maxKeys);
    limits.forEach(builder::limit);
    return builder.build();
  }
}
