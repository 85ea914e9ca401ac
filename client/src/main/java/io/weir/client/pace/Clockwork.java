package io.weir.client.pace;

import java.time.Instant;
import java.util.concurrent.Executor;

/** Where the client has its time from: the one seam between it and clocks and timers. */
public interface Clockwork {
  /** Nanoseconds of a clock that never goes back; only differences mean something. */
  long nanos();

  /** The time of day, to compare with dates that servers tell. */
  Instant instant();

  /** Runs a task once so many nanoseconds have passed. */
  Alarm after(long nanos, Runnable task);

  /** The system's. One daemon thread counts the time, and tasks run on {@code executor}. */
  static Clockwork system(Executor executor) {
    return new SystemClockwork(executor);
  }

  /** A task that has been put off. */
  @FunctionalInterface
  interface Alarm {
    /** Makes sure, as far as possible, that the task does not run. */
    void cancel();
  }
}
