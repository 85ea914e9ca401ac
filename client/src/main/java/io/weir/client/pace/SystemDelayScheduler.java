package io.weir.client.pace;

import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The system's clocks. One timer thread serves all clients. Due tasks run on other threads, because
 * they may call slow application code, which must not delay the next timer.
 */
final class SystemDelayScheduler implements DelayScheduler {
  private static final long IDLE_SECONDS = 10;
  private static final ScheduledThreadPoolExecutor TIMER = timer();
  private static final Executor HANDS =
      new ThreadPoolExecutor(
          0,
          Integer.MAX_VALUE,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          daemonThreads("weir-client-alarm"));

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, daemonThreads("weir-client-timer"));
    timer.setRemoveOnCancelPolicy(true); // frees cancelled tasks before they are due
    return timer;
  }

  private static ThreadFactory daemonThreads(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
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
  public ScheduledTask after(long nanos, Runnable task) {
    Future<?> future = TIMER.schedule(() -> soon(task), Math.max(0, nanos), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public void soon(Runnable task) {
    try {
      HANDS.execute(task);
    } catch (OutOfMemoryError e) { // no more threads can be created, and this task must run
      task.run();
    }
  }
}
