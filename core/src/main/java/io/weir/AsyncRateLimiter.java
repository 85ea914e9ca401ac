package io.weir;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A {@link RateLimiter} that never blocks the calling thread, for remote stores. Thread-safe.
 *
 * <p>A stage completes on the calling thread if the decision is known locally. Otherwise it
 * completes on the store's thread that reads all responses. A dependent action must be short and
 * must not block. Above all, it must not wait for a limiter of the same store: its response is read
 * by that same thread. Use {@link CompletionStage#thenApplyAsync} and its like for longer work.
 */
public final class AsyncRateLimiter {
  private final RateLimiter limiter;

  AsyncRateLimiter(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /** {@link RateLimiter#tryAcquire(String)}. */
  public CompletionStage<Boolean> tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /** {@link RateLimiter#tryAcquire(String, long)}. */
  public CompletionStage<Boolean> tryAcquire(String key, long cost) {
    return check(key, cost).thenApply(Decision::allowed);
  }

  /** {@link RateLimiter#check(String)}. */
  public CompletionStage<Decision> check(String key) {
    return check(key, 1);
  }

  /** {@link RateLimiter#check(String, long)}. */
  public CompletionStage<Decision> check(String key, long cost) {
    return buckets(key, cost).checkAsync(key, cost);
  }

  /** {@link RateLimiter#peek(String, long)}. */
  public CompletionStage<Decision> peek(String key, long cost) {
    return buckets(key, cost).peekAsync(key, cost);
  }

  /** {@link RateLimiter#reserve(String, long, Duration)}. */
  public CompletionStage<Reservation> reserve(String key, long cost, Duration longestWait) {
    RateLimiter.requireWait(longestWait);
    Buckets buckets = buckets(key, cost);
    return buckets
        .reserveAsync(key, cost, longestWait)
        .thenApply(receipt -> new Reservation(buckets, receipt));
  }

  /** {@link RateLimiter#chargeInFull(String, long)}. */
  public CompletionStage<Void> chargeInFull(String key, long permits) {
    RateLimiter.requireNotNegative("permits", permits);
    return buckets(key, permits).chargeInFullAsync(key, permits);
  }

  /** {@link RateLimiter#refund(String, long)}. */
  public CompletionStage<Void> refund(String key, long permits) {
    RateLimiter.requireNotNegative("permits", permits);
    return buckets(key, permits).refundAsync(key, permits);
  }

  /** {@link RateLimiter#reset(String)}. */
  public CompletionStage<Void> reset(String key) {
    return buckets(key, 0).resetAsync(key);
  }

  /** {@link RateLimiter#checkAll(Charge...)}. */
  public static CompletionStage<Decision> checkAll(Charge... charges) {
    return takeAll(List.of(charges)).thenApply(Receipts::together);
  }

  /** {@link RateLimiter#takeAll(List)}. */
  public static CompletionStage<Receipts> takeAll(List<Charge> charges) {
    return take(Charges.of(charges));
  }

  /** {@link RateLimiter#take(Charges)}. */
  public static CompletionStage<Receipts> take(Charges charges) {
    return AllOrNothing.takeAsync(charges);
  }

  private Buckets buckets(String key, long cost) {
    RateLimiter.requireKey(key);
    RateLimiter.requireCost(cost);
    return limiter.buckets();
  }
}
