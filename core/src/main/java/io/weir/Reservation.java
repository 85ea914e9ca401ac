package io.weir;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Permits taken for a future moment, or at a cost that is known only afterwards. Thread-safe.
 *
 * <p>A reservation is settled once, by {@link #cancel} or {@link #settle}; later calls have no
 * effect. A reservation that is never settled stays charged.
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

  /** Whether the permits were taken. If not, the {@link #decision} has the reason and the wait. */
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
   * Gives back what was taken, as far as it has not expired. Whatever else is cancelled, a token
   * bucket is never left with more than if this had not been taken. It gets back the cost less what
   * has flowed in since the reserved moment.
   */
  public void cancel() {
    settle(0);
  }

  /**
   * Corrects the cost to the actual one. A lower cost gives the rest back. A higher cost takes the
   * difference even if the limit does not have it now, up to fully spent. A correction that does
   * not reach a remote store is lost; {@link #settleAsync} reports that.
   */
  public void settle(long actualCost) {
    RateLimiter.requireNotNegative("actualCost", actualCost);
    if (settled.compareAndSet(false, true)) {
      buckets.settle(receipt, actualCost);
    }
  }

  /**
   * The non-blocking form of {@link #settle}. Fails with {@link StoreUnavailableException} if the
   * correction did not reach the store. Unless the outcome is in doubt, the reservation is not
   * settled and can be settled once more.
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
