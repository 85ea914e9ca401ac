package io.weir.redis;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks later. The interface allows breakers and heartbeats to run in virtual time in tests.
 */
interface Timer extends AutoCloseable {
  /** The current time, in nanoseconds from an arbitrary origin. */
  long nanoTime();

  /** Runs {@code task} once after {@code delayNanos}, unless the timer is closed before. */
  void after(long delayNanos, Runnable task);

  @Override
  void close();

  /** The system's clock, and a daemon thread called {@code name}. */
  static Timer system(String name) {
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread daemon = new Thread(work, name);
              daemon.setDaemon(true);
              return daemon;
            });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return new Timer() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      @SuppressWarnings("FutureReturnValueIgnored") // a task reports its own failure
      public void after(long delayNanos, Runnable task) {
        try {
          thread.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
          // Closed: no more tasks run.
        }
      }

      @Override
      public void close() {
        thread.shutdownNow();
      }
    };
  }
}
