package io.weir;

import java.util.ArrayList;
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
  private final List<Decision> decisions;
  private final List<Taken> taken;
  private final boolean granted;
  private final AtomicBoolean settled;

  private Receipts(List<Decision> decisions, List<Taken> taken, boolean granted) {
    this.decisions = decisions;
    this.taken = taken;
    this.granted = granted;
    this.settled = new AtomicBoolean(taken.isEmpty());
  }

  static Receipts ofOne(Buckets buckets, Buckets.Receipt receipt) {
    boolean allowed = receipt.decision().allowed();
    List<Taken> taken = allowed ? List.of(new Taken(0, buckets, receipt)) : List.of();
    return new Receipts(List.of(receipt.decision()), taken, allowed);
  }

  /** What was taken has a receipt. */
  static Receipts granted(
      Charges charges, Decision[] decisions, Buckets.@Nullable Receipt[] receipts) {
    List<Taken> taken = new ArrayList<>(receipts.length);
    for (int i = 0; i < receipts.length; i++) {
      Buckets.Receipt receipt = receipts[i];
      if (receipt != null) {
        taken.add(new Taken(i, charges.get(i).limiter().buckets(), receipt));
      }
    }
    return new Receipts(List.of(decisions), taken, true);
  }

  static Receipts refused(Decision[] decisions) {
    return new Receipts(List.of(decisions), List.of(), false);
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
    for (Taken each : taken) {
      try {
        each.buckets().settle(each.receipt(), each.costs(actualCosts));
      } catch (RuntimeException e) { // the others are settled all the same
        failure = e;
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
      for (Taken each : taken) {
        CompletionStage<Void> settling =
            each.buckets().settleAsync(each.receipt(), each.costs(actualCosts));
        all = all.thenCombine(settling, (nothing, alsoNothing) -> nothing);
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return "Receipts" + decisions;
  }

  /** What was taken by the charge at a place. */
  private record Taken(int place, Buckets buckets, Buckets.Receipt receipt) {
    long costs(IntToLongFunction actualCosts) {
      return RateLimiter.requireNotNegative("actualCost", actualCosts.applyAsLong(place));
    }
  }
}
