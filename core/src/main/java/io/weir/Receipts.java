package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Several charges that were made together or not at all: what each of them came to, and the way
 * back.
 */
public final class Receipts {
  private final List<Decision> decisions;
  private final List<Taken> taken;
  private final AtomicBoolean settled;

  private Receipts(List<Decision> decisions, List<Taken> taken) {
    this.decisions = decisions;
    this.taken = taken;
    this.settled = new AtomicBoolean(taken.isEmpty());
  }

  static Receipts granted(List<Taken> taken) {
    List<Decision> decisions = new ArrayList<>(taken.size());
    for (Taken each : taken) {
      decisions.add(each.receipt().decision());
    }
    return new Receipts(decisions, taken);
  }

  static Receipts refused(List<Decision> decisions) {
    return new Receipts(decisions, List.of());
  }

  /**
   * Of each charge, in order. If one is refused, nothing was taken by any, and the others tell how
   * their callers stand.
   */
  public List<Decision> decisions() {
    return List.copyOf(decisions);
  }

  /** All decisions as one. */
  public Decision together() {
    return Decision.together(decisions);
  }

  /** Gives back what was taken, once. */
  public void cancel() {
    if (settled.compareAndSet(false, true)) {
      RuntimeException failure = null;
      for (Taken each : taken) {
        try {
          each.buckets().settle(each.receipt(), 0);
        } catch (RuntimeException e) { // the others are given back all the same
          failure = e;
        }
      }
      if (failure != null) {
        throw failure;
      }
    }
  }

  /** {@link #cancel} for stores that wait. */
  public CompletionStage<Void> cancelAsync() {
    CompletionStage<Void> all = CompletableFuture.completedStage(null);
    if (settled.compareAndSet(false, true)) {
      for (Taken each : taken) {
        CompletionStage<Void> settling = each.buckets().settleAsync(each.receipt(), 0);
        all = all.thenCombine(settling, (nothing, alsoNothing) -> nothing);
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return "Receipts" + decisions;
  }

  record Taken(Buckets buckets, Buckets.Receipt receipt) {}
}
