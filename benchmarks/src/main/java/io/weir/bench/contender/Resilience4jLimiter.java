package io.weir.bench.contender;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/** Resilience4j's RateLimiter, one for each key, without waiting. */
final class Resilience4jLimiter extends PerKey<RateLimiter> {
  private final RateLimiterConfig config;

  Resilience4jLimiter(CaseLimit caseLimit) {
    config =
        RateLimiterConfig.custom()
            .limitForPeriod(Math.toIntExact(caseLimit.burst()))
            .limitRefreshPeriod(caseLimit.period())
            .timeoutDuration(Duration.ZERO)
            .build();
  }

  @Override
  RateLimiter create(String key) {
    return RateLimiter.of(key, config);
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiterOf(key).acquirePermission();
  }
}
