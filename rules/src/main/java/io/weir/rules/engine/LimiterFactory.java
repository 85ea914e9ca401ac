package io.weir.rules.engine;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import java.util.List;

/**
 * Opens limiters in a store.
 *
 * @param maxKeys the maximum number of keys with spent permits that each limiter keeps apart in
 *     this process
 * @param countsRefused whether limits of descriptors count refused requests: see {@link
 *     EnvoyCounting}
 */
public record LimiterFactory(Store store, TimeSource time, long maxKeys, boolean countsRefused) {
  RateLimiter open(String id, List<Limit> limits, OnFailure onFailure, Consistency consistency) {
    RateLimiter.Builder builder = RateLimiter.builder().name(id).onFailure(onFailure);
    // Support for the consistency was checked before, because a request cannot wait for that check.
    builder.consistency(consistency).store(store::open).time(time).maxKeys(maxKeys);
    limits.forEach(builder::limit);
    return builder.build();
  }
}
