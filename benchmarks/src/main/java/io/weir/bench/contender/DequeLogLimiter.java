package io.weir.bench.contender;

import java.time.Duration;
import java.util.ArrayDeque;

/** A typical hand-written sliding log: a synchronized deque of times for each key. */
public final class DequeLogLimiter extends PerKey<ArrayDeque<Long>> {
  private final int permits;
  private final long periodMillis;

  /** At most {@code permits} in any {@code period}. */
  public DequeLogLimiter(int permits, Duration period) {
    this.permits = permits;
    periodMillis = period.toMillis();
  }

  @Override
  ArrayDeque<Long> create(String key) {
    return new ArrayDeque<>();
  }

  @Override
  public boolean tryAcquire(String key) {
    ArrayDeque<Long> log = limiterOf(key);
    synchronized (log) {
      long now = Clock.MONOTONIC.millis();
      while (!log.isEmpty() && log.peekFirst() <= now - periodMillis) {
        log.removeFirst();
      }
      if (log.size() >= permits) {
        return false;
      }
      log.addLast(now);
      return true;
    }
  }
}
