package io.weir.bench.contender;

import dev.failsafe.RateLimiter;

/** Failsafe's bursty RateLimiter, one for each key. */
final class FailsafeLimiter extends PerKey<RateLimiter<Object>> {
  private final CaseLimit caseLimit;

  FailsafeLimiter(CaseLimit caseLimit) {
    this.caseLimit = caseLimit;
  }

  @Override
  RateLimiter<Object> create(String key) {
    return RateLimiter.burstyBuilder(caseLimit.burst(), caseLimit.period()).build();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiterOf(key).tryAcquirePermit();
  }
}
