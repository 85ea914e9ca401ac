package io.weir;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Makes several charges, on several limiters and keys, together or not at all. */
final class AllOrNothing {
  /*
   * If all limiters are local, each charge is checked first; if one would be refused, nothing is
   * taken. With a remote store, checking first would double the round trips. There all charges are
   * taken at once, and if one is refused, the others are given back. See LocalReceipts and
   * RemoteReceipts.
   *
   * If a store fails on one charge, it is unknown whether that charge was taken. It is not given
   * back; the others are.
   */

  private AllOrNothing() {}

  static Receipts take(Charges charges) {
    if (charges.isOne()) {
      return takeOne(charges);
    }
    if (!hasRemote(charges)) {
      return new LocalReceipts(charges).take();
    }
    if (!mayWait(charges)) {
      return LocalReceipts.takeUnchecked(charges);
    }
    try {
      return new RemoteReceipts(charges).take().toCompletableFuture().join();
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
    if (hasRemote(charges)) {
      return new RemoteReceipts(charges).take();
    }
    try {
      return CompletableFuture.completedStage(new LocalReceipts(charges).take());
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private static boolean hasRemote(Charges charges) {
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
