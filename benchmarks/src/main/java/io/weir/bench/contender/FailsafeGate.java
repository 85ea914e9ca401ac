package io.weir.bench.contender;

import dev.failsafe.RateLimiter;

/** Failsafe's bursty RateLimiter, one for each key. */
final class FailsafeGate extends PerKey<RateLimiter<Object>> {
  private final Quota quota;

  FailsafeGate(Quota quota) {
    this.quota = quota;
  }

  @Override
  RateLimiter<Object> create(String key) {
    return RateLimiter.burstyBuilder(quota.burst(), quota.period()).build();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiterOf(key).tryAcquirePermit();
  }
}
