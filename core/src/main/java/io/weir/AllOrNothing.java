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
            peeked ->
                allowed(peeked) ? takeAll(charges, new ArrayList<>()) : rejectAll(charges, peeked));
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
              return giveBack(charges, taken)
                  .thenCompose(nothing -> peekAll(charges, new ArrayList<>()))
                  .thenCompose(
                      peeked -> {
                        peeked.set(taken.size(), receipt.decision());
                        return rejectAll(charges, peeked);
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

  /** Refused: limits that count rejected requests note it, unless it can never fit. */
  private static CompletionStage<Decision> rejectAll(
      List<Charge> charges, List<Decision> decisions) {
    Decision refusal = Decision.together(decisions);
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    if (!refusal.neverFits()) {
      for (Charge charge : charges) {
        all =
            all.thenCompose(
                nothing -> charge.limiter().buckets().rejectAsync(charge.key(), charge.cost()));
      }
    }
    return all.thenApply(nothing -> refusal);
  }

  private static boolean allowed(List<Decision> decisions) {
    return decisions.stream().allMatch(Decision::allowed);
  }
}
