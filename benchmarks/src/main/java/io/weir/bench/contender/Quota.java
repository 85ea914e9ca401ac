package io.weir.bench.contender;

import java.time.Duration;

/**
 * How much a case allows each key. Every contender gets the same numbers, as near as its own
 * settings can say them.
 */
public enum Quota {
  /**
   * A hot key that is never refused: the burst outlasts any run, and a permit is a whole
   * millisecond, so that a floor that counts milliseconds can keep it too.
   */
  ALWAYS(1000, Duration.ofSeconds(1), 2_000_000_000),

  /** A hot key that is always refused, but for its very first request. */
  NEVER(1, Duration.ofHours(1), 1),

  /**
   * Many keys, hardly ever refused: even the most popular key of the Zipf traffic does not use up
   * its burst. One permit is 85.7 seconds (no round number on purpose), so that a key that was
   * asked for once stays alive for the whole run and every table is as full as the case says.
   */
  MANY(7, Duration.ofMinutes(10), 18_000_000);

  private final long permits;
  private final Duration period;
  private final long burst;

  Quota(long permits, Duration period, long burst) {
    this.permits = permits;
    this.period = period;
    this.burst = burst;
  }

  /** Permits that flow in within a period. */
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

  /** Milliseconds that one permit takes to flow in. */
  long intervalMillis() {
    return period.toMillis() / permits;
  }
}
