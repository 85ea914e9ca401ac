package io.weir.client.pace;

import java.time.Instant;

/** Clock and timers of the client, replaceable in tests. */
public interface DelayScheduler {
  /** Nanoseconds of a monotonic clock; only differences are meaningful. */
  long nanos();

  /** The time of day, for comparison with dates that servers send. */
  Instant instant();

  /** Runs a task once after this many nanoseconds. */
  ScheduledTask after(long nanos, Runnable task);

  /** Runs a task soon, on another thread. */
  default void soon(Runnable task) {
    after(0, task);
  }

  /** The system's clock. Tasks run on its own threads, which application work does not block. */
  static DelayScheduler system() {
    return new SystemDelayScheduler();
  }

  /** A scheduled task. */
  @FunctionalInterface
  interface ScheduledTask {
    /** Cancels the task if it has not started. */
    void cancel();
  }
}
