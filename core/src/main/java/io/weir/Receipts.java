package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Several charges that were made together or not at all: the decision of each of them, and a way to
 * undo them. Thread-safe.
 *
 * <p>Receipts are settled once, by {@link #cancel} or {@link #settle}; later calls have no effect.
 * Receipts that are never settled stay charged.
 */
public final class Receipts {
  private static final Buckets.@Nullable Receipt[] NONE = {};

  private final List<Decision> decisions;
  private final Charges charges;
  private final Buckets.@Nullable Receipt[] receipts;
  private final boolean granted;
  private final AtomicBoolean settled;
  private volatile @Nullable Throwable doubt;
  private volatile boolean touched;

  private Receipts(
      List<Decision> decisions,
      Charges charges,
      Buckets.@Nullable Receipt[] receipts,
      boolean granted) {
    this.decisions = decisions;
    this.charges = charges;
    this.receipts = receipts;
    this.granted = granted;
    this.settled = new AtomicBoolean(!granted);
  }

  static Receipts ofOne(Charges charges, Buckets.Receipt receipt) {
    Buckets.@Nullable Receipt[] receipts = {receipt};
    Decision decision = receipt.decision();
    return new Receipts(List.of(decision), charges, receipts, decision.allowed());
  }

  /** The receipts of a granted request: each charge that took permits has one. */
  static Receipts granted(
      Charges charges, Decision[] decisions, Buckets.@Nullable Receipt[] receipts) {
    return new Receipts(List.of(decisions), charges, receipts, true);
  }

  static Receipts refused(Charges charges, Decision[] decisions) {
    return new Receipts(List.of(decisions), charges, NONE, false);
  }

  /** Whether the charges were made. */
  public boolean areGranted() {
    return granted;
  }

  /**
   * The decision of each charge, in order; those of alternatives come last. If the request as a
   * whole is refused, no charge took anything, and the decisions that allow report the current
   * status.
   */
  public List<Decision> decisions() {
    return decisions;
  }

  /** All decisions combined into one. */
  public Decision together() {
    return Decision.together(decisions);
  }

  /** Gives back what was taken. */
  public void cancel() {
    settle(charge -> 0);
  }

  /** The non-blocking form of {@link #cancel}. */
  public CompletionStage<Void> cancelAsync() {
    return settleAsync(charge -> 0);
  }

  /**
   * Corrects what was taken, as {@link Reservation#settle} does.
   *
   * @param actualCosts the cost of each charge by its place in {@link #decisions}; called only for
   *     those that were taken
   */
  public void settle(IntToLongFunction actualCosts) {
    if (!settled.compareAndSet(false, true)) {
      return;
    }
    RuntimeException failure = null;
    for (int i = 0; i < receipts.length; i++) {
      Buckets.Receipt receipt = receipts[i];
      if (receipt != null) {
        try {
          buckets(i).settle(receipt, actualCost(i, actualCosts));
        } catch (RuntimeException e) { // the others are settled all the same
          failure = e;
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * The non-blocking form of {@link #settle}. Fails with {@link StoreUnavailableException} if a
   * correction did not reach its store. Unless the outcome is in doubt, the call can be repeated,
   * and corrects only what was not corrected before. The costs must be the same if some {@link
   * #areTouched}.
   */
  public CompletionStage<Void> settleAsync(IntToLongFunction actualCosts) {
    if (!settled.compareAndSet(false, true)) {
      return conclude(null);
    }
    List<CompletionStage<Void>> all = new ArrayList<>(receipts.length);
    for (int i = 0; i < receipts.length; i++) {
      Buckets.Receipt receipt = receipts[i];
      if (receipt != null) {
        all.add(settleAsync(i, receipt, actualCost(i, actualCosts)));
      }
    }
    CompletableFuture<Void> end = Corrections.repeatable(all).toCompletableFuture();
    return end.isDone() && !end.isCompletedExceptionally() && doubt == null
        ? end
        : end.handle((done, failure) -> failure).thenCompose(this::conclude);
  }

  /**
   * Whether {@link #settleAsync} has corrected a charge, or may have. If so, a failed call can be
   * repeated at the same costs only, else at any costs.
   */
  public boolean areTouched() {
    return touched;
  }

  private CompletionStage<Void> settleAsync(int i, Buckets.Receipt receipt, long actualCost) {
    return settleInStore(i, receipt, actualCost)
        .whenComplete(
            (done, failure) -> {
              if (StoreUnavailableException.isUndone(failure)) {
                return; // it is still to be settled
              }
              receipts[i] = null;
              touched = true;
              if (failure != null) {
                doubt = failure;
              }
            });
  }

  /**
   * Settles one receipt. A failure of its store must not keep the other receipts from being
   * settled.
   */
  private CompletionStage<Void> settleInStore(int i, Buckets.Receipt receipt, long actualCost) {
    try {
      return buckets(i).settleAsync(receipt, actualCost);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /**
   * Makes corrections that failed repeatable, then reports the doubtful ones, earlier ones
   * included.
   */
  private CompletionStage<Void> conclude(@Nullable Throwable failure) {
    if (StoreUnavailableException.isUndone(failure)) {
      settled.set(false);
      return CompletableFuture.failedStage(failure);
    }
    return doubt == null
        ? CompletableFuture.completedStage(null)
        : CompletableFuture.failedStage(doubt);
  }

  private Buckets buckets(int i) {
    return charges.get(i).limiter().buckets();
  }

  private static long actualCost(int i, IntToLongFunction actualCosts) {
    return RateLimiter.requireNotNegative("actualCost", actualCosts.applyAsLong(i));
  }

  @Override
  public String toString() {
    return "Receipts" + decisions;
  }
}
