package io.weir.bench.contender;

import java.util.concurrent.locks.LockSupport;

/** The clocks of the hand-written contenders. */
interface Clock {
  /** Reads the system's monotonic clock each time. */
  Clock MONOTONIC = () -> System.nanoTime() / 1_000_000;

  /** Milliseconds since an arbitrary origin. */
  long millis();

  /** A field that a daemon thread updates every millisecond. */
  static Clock ticking() {
    Ticking clock = new Ticking();
    Thread thread = new Thread(clock, "bench-ticking");
    thread.setDaemon(true);
    thread.start();
    return clock;
  }

  /** See {@link #ticking}. */
  final class Ticking implements Clock, Runnable {
    private volatile long now = MONOTONIC.millis();

    @Override
    public long millis() {
      return now;
    }

    @Override
    public void run() {
      while (true) {
        now = MONOTONIC.millis();
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
