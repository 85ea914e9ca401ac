package io.weir.client.pace;

import java.time.Instant;

/** Where the client has its time from: the one seam between it and clocks and timers. */
public interface Clockwork {
  /** Nanoseconds of a clock that never goes back; only differences mean something. */
  long nanos();

  /** The time of day, to compare with dates that servers tell. */
  Instant instant();

  /** Runs a task once so many nanoseconds have passed. */
  Alarm after(long nanos, Runnable task);

  /** Runs a task now, but not in the thread of whoever asks for it. */
  default void soon(Runnable task) {
    after(0, task);
  }

  /** The system's. Tasks run on threads of its own, which no work of the application holds up. */
  static Clockwork system() {
    return new SystemClockwork();
  }

  /** A task that has been put off. */
  @FunctionalInterface
  interface Alarm {
    /** Makes sure, as far as possible, that the task does not run. */
    void cancel();
  }
}
