package io.weir;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Permits taken for a moment to come, or at a cost that is known only afterwards.
 *
 * <p>A reservation is settled once, by {@link #cancel} or {@link #settle}; whatever comes after
 * that has no effect. One that is never settled stays charged.
 */
public final class Reservation {
  private final Buckets buckets;
  private final Buckets.Receipt receipt;
  private final AtomicBoolean settled;

  Reservation(Buckets buckets, Buckets.Receipt receipt) {
    this.buckets = buckets;
    this.receipt = receipt;
    this.settled = new AtomicBoolean(!receipt.decision().allowed());
  }

  /**
   * Whether the permits were taken. If not, the {@link #decision} tells why and how long to wait.
   */
  public boolean granted() {
    return decision().allowed();
  }

  /** How long to wait before the permits may be used. */
  public Duration delay() {
    return decision().delay();
  }

  /** The decision. */
  public Decision decision() {
    return receipt.decision();
  }

  /**
   * Gives back what was taken, as far as time has not. Whatever else is cancelled, a token bucket
   * is never left with more than if this had not been taken: it gives back the cost less what flows
   * in since the moment that was reserved.
   */
  public void cancel() {
    settle(0);
  }

  /**
   * Corrects the cost to what it turned out to be: less gives the rest back, more is taken even if
   * the limit does not have it now, up to fully spent. What a store elsewhere cannot be told is
   * lost: {@link #settleAsync} tells.
   */
  public void settle(long actualCost) {
    RateLimiter.requireNotNegative("actualCost", actualCost);
    if (settled.compareAndSet(false, true)) {
      buckets.settle(receipt, actualCost);
    }
  }

  /**
   * {@link #settle} for stores that wait. Fails with {@link StoreUnavailableException} if the store
   * could not be told; unless that is in doubt, the reservation is not settled and can be once
   * more.
   */
  public CompletionStage<Void> settleAsync(long actualCost) {
    RateLimiter.requireNotNegative("actualCost", actualCost);
    if (!settled.compareAndSet(false, true)) {
      return CompletableFuture.completedStage(null);
    }
    return buckets
        .settleAsync(receipt, actualCost)
        .whenComplete(
            (done, failure) -> {
              if (StoreUnavailableException.isUndone(failure)) {
                settled.set(false);
              }
            });
  }

  @Override
  public String toString() {
    return "Reservation[" + decision() + (settled.get() ? ", settled]" : "]");
  }
}
