package io.weir.bench.redis.node;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/**
 * Redisson's limiter: a number of permits in a sliding period. It has no burst beside the rate, so
 * its rate is the bucket's size. Limiters are created beforehand, with their rates set.
 */
final class RedissonLibrary implements Library {
  private static final int SETTING_AT_ONCE = 1000;

  private final RedissonClient client;

  RedissonLibrary(int port) {
    Config config = new Config();
    config.setTransportMode(TransportMode.EPOLL);
    config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
    client = Redisson.create(config);
  }

  @Override
  public RemoteLimiter<Boolean> limiter(String name, Allowance allowance, String[] keys)
      throws Exception {
    RRateLimiter[] limiters = new RRateLimiter[keys.length];
    CompletableFuture<?>[] settings = new CompletableFuture<?>[keys.length];
    for (int i = 0; i < keys.length; i++) {
      limiters[i] = client.getRateLimiter(name + ":" + keys[i]);
      settings[i] =
          limiters[i]
              .trySetRateAsync(RateType.OVERALL, allowance.burst(), allowance.period())
              .toCompletableFuture();
      if (i >= SETTING_AT_ONCE) {
        settings[i - SETTING_AT_ONCE].get(1, TimeUnit.MINUTES);
      }
    }
    CompletableFuture.allOf(settings).get(1, TimeUnit.MINUTES);
    return new RemoteLimiter<>() {
      @Override
      public CompletionStage<Boolean> check(int i) {
        return limiters[i].tryAcquireAsync();
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
