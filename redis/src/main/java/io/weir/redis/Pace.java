package io.weir.redis;

import java.time.Duration;

/** How often nodes that decide by themselves tell of it under a plan, and when they forget it. */
final class Pace {
  private static final int SYNCS_IN_A_SPAN = 10;
  private static final long SHORTEST_SYNC = Duration.ofMillis(1).toNanos();
  private static final long SHORTEST_RETRY = Duration.ofMillis(100).toNanos();
  private static final long LONGEST_RETRY = Duration.ofSeconds(10).toNanos();
  private static final int MOST_DOUBLINGS = 10;
  private static final long SHORTEST_SWEEP = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_SWEEP = Duration.ofMinutes(1).toNanos();
  private static final long LINGER_MICROS = 1_000_000;

  private final long syncNanos;
  private final long lifeMicros;

  /**
   * @param syncNanos as often at least
   */
  Pace(Plan plan, long syncNanos) {
    long ofSpan = plan.shortestSpanMicros() / SYNCS_IN_A_SPAN * 1000;
    this.syncNanos = Math.max(SHORTEST_SYNC, Math.min(syncNanos, ofSpan));
    this.lifeMicros = 2 * plan.memoryMicros() + LINGER_MICROS;
  }

  /** How long after a message the next one leaves. */
  long syncNanos() {
    return syncNanos;
  }

  /** How long after so many failures in a row the next attempt is made, if nobody asks. */
  long retryNanos(int failures) {
    long shortest = shortestRetryNanos();
    int doublings = Math.max(0, Math.min(failures - 1, MOST_DOUBLINGS));
    return Math.max(shortest, Math.min(LONGEST_RETRY, shortest << doublings));
  }

  /** How long after a failure it is made at the earliest. */
  long shortestRetryNanos() {
    return Math.max(syncNanos, SHORTEST_RETRY);
  }

  /** After this time all that was told has come back: a bucket may owe as much as it holds. */
  long lifeMicros() {
    return lifeMicros;
  }

  long lifeNanos() {
    return lifeMicros * 1000;
  }

  /** How often it is looked for what can be forgotten. */
  long sweepNanos() {
    return Math.max(SHORTEST_SWEEP, Math.min(LONGEST_SWEEP, lifeNanos() / 4));
  }
}
