package io.weir;

import java.util.concurrent.locks.LockSupport;

/** The system's time in a field that a daemon thread renews each millisecond. */
final class CoarseTime implements TimeSource {
  private volatile long now = wholeMillis();

  private CoarseTime() {}

  static CoarseTime instance() {
    return Holder.INSTANCE;
  }

  @Override
  public TimeSource steady() {
    return TimeSource.system().steady();
  }

  @Override
  public long epochNanos() {
    return now;
  }

  private void tick() {
    while (true) {
      now = wholeMillis();
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long wholeMillis() {
    return SystemTime.INSTANCE.epochNanos() / 1_000_000 * 1_000_000;
  }

  /** Starts the thread when the coarse clock is first used, and not before. */
  private static final class Holder {
    static final CoarseTime INSTANCE = new CoarseTime();

    static {
      Thread thread = new Thread(INSTANCE::tick, "weir-coarse-time");
      thread.setDaemon(true);
      thread.start();
    }
  }
}
