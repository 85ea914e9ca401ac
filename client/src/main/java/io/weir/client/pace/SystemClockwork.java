package io.weir.client.pace;

import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clocks of the system, and one thread for all clients that waits. */
final class SystemClockwork implements Clockwork {
  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final Executor executor;

  SystemClockwork(Executor executor) {
    this.executor = executor;
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "weir-client-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true); // or what was cancelled would be kept until its time
    return timer;
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Instant instant() {
    return Instant.now();
  }

  @Override
  public Alarm after(long nanos, Runnable task) {
    Future<?> future =
        TIMER.schedule(() -> executor.execute(task), Math.max(0, nanos), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }
}
