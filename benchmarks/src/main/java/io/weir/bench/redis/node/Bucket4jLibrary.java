package io.weir.bench.redis.node;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteAsyncBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * Bucket4j on Lettuce: compare-and-swap by prebuilt asynchronous proxies, optionally with its
 * batching.
 */
final class Bucket4jLibrary implements Library {
  private final RedisClient client;
  private final AsyncProxyManager<String> buckets;
  private final boolean isBatching;

  Bucket4jLibrary(int port, boolean isBatching) {
    this.isBatching = isBatching;
    client = RedisClient.create(RedisURI.create("127.0.0.1", port));
    buckets =
        Bucket4jLettuce.casBasedBuilder(
                client.connect(RedisCodec.of(StringCodec.ASCII, ByteArrayCodec.INSTANCE)))
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofSeconds(1)))
            .build()
            .asAsync();
  }

  @Override
  public RemoteLimiter<Boolean> limiter(String name, Allowance allowance, String[] keys) {
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(
                Bandwidth.builder()
                    .capacity(allowance.burst())
                    .refillGreedy(allowance.permits(), allowance.period())
                    .build())
            .build();
    AsyncBucketProxy[] proxies = new AsyncBucketProxy[keys.length];
    for (int i = 0; i < keys.length; i++) {
      RemoteAsyncBucketBuilder<String> builder = buckets.builder();
      if (isBatching) {
        builder = builder.withOptimization(Optimizations.batching());
      }
      proxies[i] = builder.build(name + ":" + keys[i], configuration);
    }
    return new RemoteLimiter<>() {
      @Override
      public CompletionStage<Boolean> check(int i) {
        return proxies[i].tryConsume(1);
      }

      @Override
      public CheckResult result(Boolean reply) {
        return reply ? CheckResult.ALLOWED : CheckResult.REFUSED;
      }
    };
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
