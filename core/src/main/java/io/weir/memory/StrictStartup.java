package io.weir.memory;

import io.weir.Buckets;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * Strict buckets in memory. An earlier process may have granted everything a moment ago, so nothing
 * is granted until all of that has expired.
 *
 * <p>Their clock does not step: time skipped by a step would make grants expire early.
 */
final class StrictStartup implements Buckets {
  private final MemoryBuckets buckets;
  private final TimeSource time;
  private final long begun;
  private volatile List<Limit> limits;
  private volatile boolean isOver;

  /**
   * @param openedNanos when the store was opened, by {@link System#nanoTime}: at that time no
   *     earlier process was running any more
   */
  StrictStartup(Store.LimiterSpec limiterSpec, long openedNanos) {
    this.time = limiterSpec.time().steady();
    this.begun = time.epochNanos() - passed(limiterSpec.time(), openedNanos);
    this.limits = limiterSpec.limits();
    this.buckets = new MemoryBuckets(limiterSpec, time);
  }

  /** The time passed since then, by a clock without steps. */
  // The steady clock of a source without steps is the source itself.
  @SuppressWarnings("ReferenceEquality")
  private static long passed(TimeSource time, long openedNanos) {
    return time.steady() == time ? 0 : System.nanoTime() - openedNanos;
  }

  /** The time until grants start. */
  private long left() {
    if (isOver) {
      return 0;
    }
    long memory = 0;
    for (Limit limit : limits) {
      memory = Math.max(memory, limit.memory().toNanos());
    }
    // A limit counts in whole ticks.
    long left = begun + memory + 1_000_000 - time.epochNanos();
    isOver = left <= 0;
    return Math.max(0, left);
  }

  private Decision refusal(long cost, long left) {
    long millis = Math.floorDiv(time.epochNanos(), 1_000_000L);
    return Decision.inDoubt(cost, limits, Duration.ofNanos(left), millis);
  }

  @Override
  public boolean tryAcquire(String key, long cost) {
    return left() == 0 && buckets.tryAcquire(key, cost);
  }

  @Override
  public Decision check(String key, long cost) {
    long left = left();
    return left == 0 ? buckets.check(key, cost) : refusal(cost, left);
  }

  @Override
  public Decision checkAt(String key, long cost, long epochMillis) {
    long left = left();
    return left == 0 ? buckets.checkAt(key, cost, epochMillis) : refusal(cost, left);
  }

  @Override
  public Decision peek(String key, long cost) {
    long left = left();
    return left == 0 ? buckets.peek(key, cost) : refusal(cost, left);
  }

  @Override
  public Receipt take(String key, long cost) {
    long left = left();
    return left == 0 ? buckets.take(key, cost) : new EmptyReceipt(refusal(cost, left));
  }

  /**
   * Grants only for now: a permit for a later moment may be used when another process is running.
   */
  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    long left = left();
    return left == 0
        ? buckets.reserve(key, cost, Duration.ZERO)
        : new EmptyReceipt(refusal(cost, left));
  }

  @Override
  public void charge(String key, long cost) {
    buckets.charge(key, cost);
  }

  @Override
  public void chargeInFull(String key, long cost) {
    buckets.chargeInFull(key, cost);
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    if (!(receipt instanceof EmptyReceipt)) {
      buckets.settle(receipt, actualCost);
    }
  }

  @Override
  public void reject(String key, long cost) {
    buckets.reject(key, cost);
  }

  @Override
  public void refund(String key, long permits) {
    buckets.refund(key, permits);
  }

  @Override
  public void reset(String key) {
    buckets.reset(key);
  }

  /** A limiter that is no longer strict ends the wait. */
  @Override
  public Runnable reconfigure(Store.LimiterSpec changed) {
    Runnable rest = buckets.reconfigure(changed);
    limits = changed.limits();
    isOver = changed.consistency() != Consistency.STRICT;
    return rest;
  }

  @Override
  public long keys() {
    return buckets.keys();
  }

  @Override
  public long overflowed() {
    return buckets.overflowed();
  }

  /** The receipt of a refusal. */
  private record EmptyReceipt(Decision decision) implements Receipt {}
}
