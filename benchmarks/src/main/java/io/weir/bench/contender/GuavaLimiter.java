package io.weir.bench.contender;

import com.google.common.util.concurrent.RateLimiter;

/** Guava's RateLimiter, one for each key. */
final class GuavaLimiter extends PerKey<RateLimiter> {
  /*
   * Guava keeps the permits of one second and has no setting for a burst. To make it never (or
   * always) refuse like the others, it gets a rate that no run can use up (or that is used up at
   * once).
   */
  private static final double MORE_THAN_ANYBODY_ASKS = 1e9;
  private static final double ONE_AN_HOUR = 1.0 / 3600;

  private final double rate;

  GuavaLimiter(CaseLimit caseLimit) {
    rate = caseLimit == CaseLimit.NEVER ? ONE_AN_HOUR : MORE_THAN_ANYBODY_ASKS;
  }

  @Override
  RateLimiter create(String key) {
    return RateLimiter.create(rate);
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiterOf(key).tryAcquire();
  }
}
