package io.weir.insight.whatif;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs limits on demand that is known only as counts: so many requests at a given time. The
 * decisions are exact, because these are the real limits in virtual time. Not thread-safe.
 *
 * <p>The times of a caller must not decrease.
 */
final class LimitSimulator {
  private final ManualTime time = TimeSource.recorded();
  private final RateLimiter limiter;
  private final boolean countsRejected;

  /** Limits that apply together, with full buckets. */
  LimitSimulator(List<Limit> limits) {
    RateLimiter.Builder builder = RateLimiter.builder().time(time);
    limits.forEach(builder::limit);
    this.limiter = builder.build();
    this.countsRejected = limits.stream().anyMatch(Limit::countRejected);
  }

  /**
   * Offers requests that all come at the same time, and returns how many are allowed.
   *
   * @param cost how many permits each request costs, on average
   */
  long offer(String caller, long requests, double cost, long epochMillis) {
    time.setNanos(TimeUnit.MILLISECONDS.toNanos(epochMillis));
    if (requests == 1) {
      return limiter.check(caller, Math.round(cost)).allowed() ? 1 : 0;
    }
    long left = limiter.peek(caller).remaining();
    long fitting = cost <= 0 ? requests : Math.min(requests, (long) (left / cost));
    long charged = Math.min(left, Math.round(fitting * cost));
    if (charged > 0 && !limiter.check(caller, charged).allowed()) {
      fitting = 0;
    }
    if (countsRejected && fitting < requests) {
      limiter.check(caller, Math.max(1, Math.round((requests - fitting) * cost)));
    }
    return fitting;
  }

  /** Forgets a caller that will not come again. */
  void forget(String caller) {
    limiter.reset(caller);
  }
}
