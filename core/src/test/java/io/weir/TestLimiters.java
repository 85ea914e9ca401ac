package io.weir;

/** Limiters for tests. */
final class TestLimiters {
  private TestLimiters() {}

  /** A limiter in memory with the given limits and clock. */
  static RateLimiter of(TimeSource time, Limit... limits) {
    RateLimiter.Builder builder = RateLimiter.builder().time(time);
    for (Limit limit : limits) {
      builder.limit(limit);
    }
    return builder.build();
  }
}
