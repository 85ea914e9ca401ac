package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several charges, on several limiters and keys, made together or not at all. */
final class AllOrNothing {
  /*
   * First every charge is asked whether it would pass; if one would not, nothing is taken. Then they
   * are taken one after the other, and should somebody else have been faster on one of them, what
   * was taken before it is given back to the same entry, window or epoch. So never too much is
   * granted; at worst, while two such requests race for the last permit, somebody is told no by a
   * charge that is given back a moment later. The same if a store fails on one of them: whether that
   * one was taken is not known, but the others are given back.
   *
   * Written once, over stages: a store in memory completes them at once, so that the same code
   * serves callers that block and those that do not.
   */

  private final List<Charge> charges;
  private final List<Receipts.Taken> taken = new ArrayList<>();
  private @Nullable Decision refusal;

  private AllOrNothing(List<Charge> charges) {
    this.charges = charges;
  }

  static Receipts take(List<Charge> charges) {
    if (charges.size() == 1) {
      return takeOne(charges.get(0));
    }
    try {
      return takeAsync(charges).toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  static CompletionStage<Receipts> takeAsync(List<Charge> charges) {
    if (charges.isEmpty()) {
      throw new IllegalArgumentException("charges must not be empty");
    }
    return charges.size() == 1
        ? takeOneAsync(charges.get(0))
        : new AllOrNothing(List.copyOf(charges)).take();
  }

  private static Receipts takeOne(Charge charge) {
    Buckets buckets = charge.limiter().buckets();
    return alone(buckets, buckets.take(charge.key(), charge.cost()));
  }

  private static CompletionStage<Receipts> takeOneAsync(Charge charge) {
    Buckets buckets = charge.limiter().buckets();
    return buckets
        .takeAsync(charge.key(), charge.cost())
        .thenApply(receipt -> alone(buckets, receipt));
  }

  private static Receipts alone(Buckets buckets, Buckets.Receipt receipt) {
    return receipt.decision().allowed()
        ? Receipts.granted(List.of(new Receipts.Taken(buckets, receipt)))
        : Receipts.refused(List.of(receipt.decision()));
  }

  private CompletionStage<Receipts> take() {
    return peekAll()
        .thenCompose(
            peeked -> {
              Decision together = Decision.together(peeked);
              if (together.allowed()) {
                return takeAll();
              }
              if (together.neverFits()) {
                return CompletableFuture.completedStage(Receipts.refused(peeked));
              }
              return noteRefusal(charges)
                  // What was missing may be there by now, but nothing was taken.
                  .thenApply(after -> Decision.together(after).allowed() ? peeked : after)
                  .thenApply(Receipts::refused);
            });
  }

  private CompletionStage<List<Decision>> peekAll() {
    List<Decision> peeked = new ArrayList<>(charges.size());
    return oneByOne(
            charges,
            charge ->
                charge
                    .limiter()
                    .buckets()
                    .peekAsync(charge.key(), charge.cost())
                    .thenAccept(peeked::add))
        .thenApply(nothing -> peeked);
  }

  private CompletionStage<Receipts> takeAll() {
    return oneByOne(charges, this::take)
        .handle((nothing, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure != null) {
                return giveBack().thenCompose(nothing -> CompletableFuture.failedStage(failure));
              }
              Decision refused = refusal;
              return refused == null
                  ? CompletableFuture.completedStage(Receipts.granted(taken))
                  : giveBack().thenCompose(nothing -> refuse(refused));
            });
  }

  private CompletionStage<?> take(Charge charge) {
    if (refusal != null) {
      return CompletableFuture.completedStage(null);
    }
    Buckets buckets = charge.limiter().buckets();
    return buckets
        .takeAsync(charge.key(), charge.cost())
        .thenAccept(
            receipt -> {
              if (receipt.decision().allowed()) {
                taken.add(new Receipts.Taken(buckets, receipt));
              } else {
                refusal = receipt.decision();
              }
            });
  }

  private CompletionStage<?> giveBack() {
    return oneByOne(taken, charge -> charge.buckets().settleAsync(charge.receipt(), 0));
  }

  /** After {@code decision} on the charge that came after those that were taken. */
  private CompletionStage<Receipts> refuse(Decision decision) {
    int refusing = taken.size();
    List<Charge> others = new ArrayList<>(charges);
    others.remove(refusing); // its store has noted the refusal by itself
    return noteRefusal(others)
        .thenApply(
            after -> {
              after.set(refusing, decision);
              return Receipts.refused(after);
            });
  }

  /** Limits that count rejected requests note this one; then how everybody stands. */
  private CompletionStage<List<Decision>> noteRefusal(List<Charge> unaware) {
    return oneByOne(
            unaware, charge -> charge.limiter().buckets().rejectAsync(charge.key(), charge.cost()))
        .thenCompose(nothing -> peekAll());
  }

  private static <T> CompletionStage<?> oneByOne(
      List<T> list, Function<T, CompletionStage<?>> step) {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (T each : list) {
      all = all.thenCompose(nothing -> step.apply(each));
    }
    return all;
  }
}
