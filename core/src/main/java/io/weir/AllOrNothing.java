package io.weir;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Several charges, on several limiters and keys, made together or not at all. */
final class AllOrNothing {
  /*
   * In this process every charge is first asked whether it would pass; if one would not, nothing is
   * taken. Where a store is elsewhere, asking first would double the way: all are taken at once, and
   * if one is refused, the others are given back. See the two classes.
   *
   * Should a store fail on one charge, it is not known whether that one was taken, and it is not
   * given back; the others are.
   */

  private AllOrNothing() {}

  static Receipts take(Charges charges) {
    if (charges.isOne()) {
      return takeOne(charges);
    }
    if (!isElsewhere(charges)) {
      return new TakenHere(charges).take();
    }
    if (!mayWait(charges)) {
      return TakenHere.withoutAsking(charges);
    }
    try {
      return new TakenElsewhere(charges).take().toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  static CompletionStage<Receipts> takeAsync(Charges charges) {
    if (charges.isOne()) {
      return takeOneAsync(charges);
    }
    if (isElsewhere(charges)) {
      return new TakenElsewhere(charges).take();
    }
    try {
      return CompletableFuture.completedStage(new TakenHere(charges).take());
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private static boolean isElsewhere(Charges charges) {
    for (int i = 0; i < charges.size(); i++) {
      if (charges.get(i).limiter().isRemote()) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayWait(Charges charges) {
    for (int i = 0; i < charges.size(); i++) {
      if (!charges.get(i).limiter().buckets().mayWait()) {
        return false;
      }
    }
    return true;
  }

  private static Receipts takeOne(Charges charges) {
    Charge charge = charges.get(0);
    Buckets buckets = charge.limiter().buckets();
    return Receipts.ofOne(charges, buckets.take(charge.key(), charge.cost()));
  }

  private static CompletionStage<Receipts> takeOneAsync(Charges charges) {
    Charge charge = charges.get(0);
    return charge
        .limiter()
        .buckets()
        .takeAsync(charge.key(), charge.cost())
        .thenApply(receipt -> Receipts.ofOne(charges, receipt));
  }
}
