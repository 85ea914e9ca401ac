package io.weir;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Several charges that were made together or not at all: what each of them came to, and the way
 * back.
 *
 * <p>Receipts are settled once, by {@link #cancel} or {@link #settle}; whatever comes after that
 * has no effect. What is never settled stays charged.
 */
public final class Receipts {
  private static final Buckets.@Nullable Receipt[] NONE = {};

  private final List<Decision> decisions;
  private final Charges charges;
  private final Buckets.@Nullable Receipt[] receipts;
  private final boolean granted;
  private final AtomicBoolean settled;

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

  /** What was taken has a receipt. */
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
   * Of each charge, in order; those of a choice come last. If the whole is refused, nothing was
   * taken by any, and those that allow tell how their callers stand.
   */
  public List<Decision> decisions() {
    return decisions;
  }

  /** All decisions as one. */
  public Decision together() {
    return Decision.together(decisions);
  }

  /** Gives back what was taken. */
  public void cancel() {
    settle(charge -> 0);
  }

  /** {@link #cancel} for stores that wait. */
  public CompletionStage<Void> cancelAsync() {
    return settleAsync(charge -> 0);
  }

  /**
   * Corrects what was taken, as {@link Reservation#settle} does.
   *
   * @param actualCosts of each charge by its place in {@link #decisions}; asked for those that were
   *     taken
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

  /** {@link #settle} for stores that wait. */
  public CompletionStage<Void> settleAsync(IntToLongFunction actualCosts) {
    CompletionStage<Void> all = CompletableFuture.completedStage(null);
    if (settled.compareAndSet(false, true)) {
      for (int i = 0; i < receipts.length; i++) {
        Buckets.Receipt receipt = receipts[i];
        if (receipt != null) {
          CompletionStage<Void> settling =
              buckets(i).settleAsync(receipt, actualCost(i, actualCosts));
          all = all.thenCombine(settling, (nothing, alsoNothing) -> nothing);
        }
      }
    }
    return all;
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
