package io.weir.chaos;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Closes a resource when an operation on it takes too long. */
final class Watchdog implements AutoCloseable {
  private static final ScheduledExecutorService CLOCK =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "alarm");
            thread.setDaemon(true);
            return thread;
          });

  private final Future<?> ringing;

  private Watchdog(Future<?> ringing) {
    this.ringing = ringing;
  }

  static Watchdog after(Duration timeout, UnixSocket socket) {
    return new Watchdog(
        CLOCK.schedule(
            () -> {
              socket.close();
              return true;
            },
            timeout.toMillis(),
            TimeUnit.MILLISECONDS));
  }

  @Override
  public void close() {
    ringing.cancel(false);
  }
}
