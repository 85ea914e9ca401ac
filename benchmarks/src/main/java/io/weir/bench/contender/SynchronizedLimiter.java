package io.weir.bench.contender;

/**
 * A typical hand-written limiter: a ConcurrentHashMap of small objects with a synchronized method.
 */
final class SynchronizedLimiter extends PerKey<SynchronizedLimiter.Bucket> {
  private final long interval;
  private final long capacity;

  SynchronizedLimiter(CaseLimit caseLimit) {
    interval = caseLimit.intervalMillis();
    capacity = caseLimit.burst() * interval;
  }

  @Override
  Bucket create(String key) {
    return new Bucket();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiterOf(key).tryAcquire(Clock.MONOTONIC.millis(), interval, capacity);
  }

  /** A token bucket, stored as the time at which it is full again. */
  static final class Bucket {
    private long full = Long.MIN_VALUE;

    synchronized boolean tryAcquire(long now, long interval, long capacity) {
      long next = Math.max(full, now) + interval;
      if (next - now > capacity) {
        return false;
      }
      full = next;
      return true;
    }
  }
}
