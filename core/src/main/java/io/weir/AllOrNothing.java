package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Several charges, on several limiters and keys, made together or not at all. */
final class AllOrNothing {
  /*
   * First every charge is asked whether it would pass; if one would not, nothing is taken. Then they
   * are taken one after the other, and should somebody else have been faster on one of them, what
   * was taken before it is given back to the same entry, window or epoch. So never too much is
   * granted; at worst, while two such requests race for the last permit, somebody is told no by a
   * charge that is given back a moment later.
   *
   * Written once, over stages: a store in memory completes them at once, so that the same code
   * serves callers that block and those that do not.
   */

  private AllOrNothing() {}

  static Decision check(List<Charge> charges) {
    return checkAsync(charges).toCompletableFuture().join();
  }

  static CompletionStage<Decision> checkAsync(List<Charge> charges) {
    if (charges.isEmpty()) {
      throw new IllegalArgumentException("charges must not be empty");
    }
    return peekAll(charges, new ArrayList<>())
        .thenCompose(
            peeked -> {
              Decision together = Decision.together(peeked);
              if (together.allowed()) {
                return takeAll(charges, new ArrayList<>());
              }
              if (together.neverFits()) {
                return CompletableFuture.completedStage(together);
              }
              return noteRefusal(charges, charges)
                  .thenApply(Decision::together)
                  // What was missing may be there by now, but nothing was taken.
                  .thenApply(after -> after.allowed() ? together : after);
            });
  }

  private static CompletionStage<List<Decision>> peekAll(
      List<Charge> charges, List<Decision> done) {
    if (done.size() == charges.size()) {
      return CompletableFuture.completedStage(done);
    }
    Charge next = charges.get(done.size());
    return next.limiter()
        .buckets()
        .peekAsync(next.key(), next.cost())
        .thenCompose(
            decision -> {
              done.add(decision);
              return peekAll(charges, done);
            });
  }

  private static CompletionStage<Decision> takeAll(
      List<Charge> charges, List<Buckets.Receipt> taken) {
    if (taken.size() == charges.size()) {
      return CompletableFuture.completedStage(
          Decision.together(taken.stream().map(Buckets.Receipt::decision).toList()));
    }
    Charge next = charges.get(taken.size());
    return next.limiter()
        .buckets()
        .takeAsync(next.key(), next.cost())
        .thenCompose(
            receipt -> {
              if (receipt.decision().allowed()) {
                taken.add(receipt);
                return takeAll(charges, taken);
              }
              int refusing = taken.size();
              List<Charge> others = new ArrayList<>(charges);
              others.remove(refusing); // its store has noted the refusal by itself
              return giveBack(charges, taken)
                  .thenCompose(nothing -> noteRefusal(others, charges))
                  .thenApply(
                      after -> {
                        after.set(refusing, receipt.decision());
                        return Decision.together(after);
                      });
            });
  }

  private static CompletionStage<?> giveBack(List<Charge> charges, List<Buckets.Receipt> taken) {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (int i = 0; i < taken.size(); i++) {
      Charge charge = charges.get(i);
      Buckets.Receipt receipt = taken.get(i);
      all = all.thenCompose(nothing -> charge.limiter().buckets().settleAsync(receipt, 0));
    }
    return all;
  }

  /** Limits that count rejected requests note this one; then how everybody stands. */
  private static CompletionStage<List<Decision>> noteRefusal(
      List<Charge> unaware, List<Charge> charges) {
    CompletionStage<?> noted = CompletableFuture.completedStage(null);
    for (Charge charge : unaware) {
      noted =
          noted.thenCompose(
              nothing -> charge.limiter().buckets().rejectAsync(charge.key(), charge.cost()));
    }
    return noted.thenCompose(nothing -> peekAll(charges, new ArrayList<>()));
  }
}
