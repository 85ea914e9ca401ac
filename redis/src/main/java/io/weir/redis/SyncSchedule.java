package io.weir.redis;

import java.time.Duration;

/** The intervals at which nodes with eventual consistency send and forget grants under a plan. */
final class SyncSchedule {
  private static final int SYNCS_IN_A_SPAN = 10;
  private static final long SHORTEST_SYNC = Duration.ofMillis(1).toNanos();
  private static final long SHORTEST_RETRY = Duration.ofMillis(100).toNanos();
  private static final long MAX_RETRY = Duration.ofSeconds(10).toNanos();
  private static final int MAX_DOUBLINGS = 10;
  private static final long SHORTEST_SWEEP = Duration.ofSeconds(1).toNanos();
  private static final long MAX_SWEEP = Duration.ofMinutes(1).toNanos();
  private static final long LINGER_MICROS = 1_000_000;

  private final long syncNanos;
  private final long lifeMicros;

  /**
   * @param syncNanos the maximum interval between messages
   */
  SyncSchedule(ScriptPlan scriptPlan, long syncNanos) {
    long ofSpan = scriptPlan.shortestSpanMicros() / SYNCS_IN_A_SPAN * 1000;
    this.syncNanos = Math.max(SHORTEST_SYNC, Math.min(syncNanos, ofSpan));
    this.lifeMicros = 2 * scriptPlan.memoryMicros() + LINGER_MICROS;
  }

  /** The interval between messages. */
  long syncNanos() {
    return syncNanos;
  }

  /**
   * The delay of the next attempt after consecutive failures, unless a check triggers an earlier
   * one.
   */
  long retryNanos(int failures) {
    long shortest = shortestRetryNanos();
    int doublings = Math.max(0, Math.min(failures - 1, MAX_DOUBLINGS));
    return Math.max(shortest, Math.min(MAX_RETRY, shortest << doublings));
  }

  /** The minimum delay of an attempt after a failure. */
  long shortestRetryNanos() {
    return Math.max(syncNanos, SHORTEST_RETRY);
  }

  /**
   * After this time everything that was sent has come back: a bucket may owe as much as it holds.
   */
  long lifeMicros() {
    return lifeMicros;
  }

  long lifeNanos() {
    return lifeMicros * 1000;
  }

  /** The interval of sweeps for keys to forget. */
  long sweepNanos() {
    return Math.max(SHORTEST_SWEEP, Math.min(MAX_SWEEP, lifeNanos() / 4));
  }
}
