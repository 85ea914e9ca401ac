package io.weir.bench.contender;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import java.time.Duration;

/** Bucket4j in a Caffeine cache that evicts idle keys: the form that does not leak. */
final class Bucket4jCaffeineGate implements Gate {
  private final LoadingCache<String, Bucket> buckets;

  Bucket4jCaffeineGate(Quota quota) {
    Bandwidth bandwidth = Bucket4jGate.bandwidth(quota);
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
