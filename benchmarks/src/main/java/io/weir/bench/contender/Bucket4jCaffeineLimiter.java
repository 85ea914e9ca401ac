package io.weir.bench.contender;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import java.time.Duration;

/** Bucket4j in a Caffeine cache that evicts idle keys: the form that does not leak. */
final class Bucket4jCaffeineLimiter implements KeyedLimiter {
  private final LoadingCache<String, Bucket> buckets;

  Bucket4jCaffeineLimiter(CaseLimit caseLimit) {
    Bandwidth bandwidth = Bucket4jLimiter.bandwidth(caseLimit);
    buckets =
        Caffeine.newBuilder()
            .expireAfterAccess(Duration.ofHours(1))
            .build(key -> Bucket.builder().addLimit(bandwidth).build());
  }

  @Override
  public boolean tryAcquire(String key) {
    return buckets.get(key).tryConsume(1);
  }
}
