package io.weir.bench.contender;

import java.time.Duration;

/**
 * The limit of each key in a case. Every contender gets the same numbers, as far as its settings
 * can express them.
 */
public enum CaseLimit {
  /**
   * A hot key that is never refused: the burst outlasts any run, and a permit takes a whole
   * millisecond, so that the lower bound with its millisecond clock supports it too.
   */
  ALWAYS(1000, Duration.ofSeconds(1), 2_000_000_000),

  /** A hot key that is always refused, except for its first request. */
  NEVER(1, Duration.ofHours(1), 1),

  /**
   * Many keys, hardly ever refused: even the most popular key of the Zipf traffic does not use up
   * its burst. One permit takes 85.7 seconds, deliberately not a round number. So a key stays live
   * for the whole run after one request, and every table is as full as the case says.
   */
  MANY(7, Duration.ofMinutes(10), 18_000_000);

  private final long permits;
  private final Duration period;
  private final long burst;

  CaseLimit(long permits, Duration period, long burst) {
    this.permits = permits;
    this.period = period;
    this.burst = burst;
  }

  /** Permits that refill within a period. */
  public long permits() {
    return permits;
  }

  /** The period. */
  public Duration period() {
    return period;
  }

  /** The most permits at one moment. */
  public long burst() {
    return burst;
  }

  /** Milliseconds until one permit refills. */
  long intervalMillis() {
    return period.toMillis() / permits;
  }
}
