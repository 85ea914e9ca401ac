package io.weir.rules;

import io.weir.AsyncRateLimiter;
import io.weir.Charge;
import io.weir.Charges;
import io.weir.RateLimiter;
import io.weir.Receipts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;

/** Charges what a bill demands, once, and knows the way back. */
final class Charging<A> {
  /*
   * In two steps. First what decides: all that must be there, together. Then, if that was granted,
   * what is only tried: each by itself, for what it would refuse if it were the next to be enforced.
   *
   * Both steps are there twice, for callers that wait and for those that do not; what is done with
   * the outcome is there once.
   */

  private final Bill<A> bill;
  private final List<Demand> deciding = new ArrayList<>();
  private final List<Demand> later = new ArrayList<>(0);
  private final List<Booked> booked = new ArrayList<>(1);
  private boolean granted = true;

  Charging(Bill<A> bill) {
    this.bill = bill;
    for (Demand demand : bill.demands()) {
      if (demand.kind() == Demand.Kind.TRY) {
        later.add(demand);
      }
    }
    addDeciding(Demand.Kind.ALL);
  }

  private int addDeciding(Demand.Kind kind) {
    int before = deciding.size();
    for (Demand demand : bill.demands()) {
      if (demand.kind() == kind) {
        deciding.add(demand);
      }
    }
    return deciding.size() - before;
  }

  Bill<A> bill() {
    return bill;
  }

  /** Charges everything, waiting where a store is elsewhere. */
  void now() {
    if (!deciding.isEmpty()) {
      decided(RateLimiter.take(charges()));
    }
    if (granted && !later.isEmpty()) {
      tryNow();
    }
  }

  private void tryNow() {
    if (later.size() > 1 && bill.isElsewhere()) { // all at once, since it may be far away
      tryLater().toCompletableFuture().join();
      return;
    }
    for (Demand demand : later) {
      book(List.of(demand), RateLimiter.takeAll(List.of(demand.charge())));
    }
  }

  /** {@link #now} for callers that must not wait. */
  CompletionStage<?> later() {
    CompletionStage<?> decided =
        deciding.isEmpty()
            ? CompletableFuture.completedStage(null)
            : AsyncRateLimiter.take(charges()).thenAccept(this::decided);
    return later.isEmpty()
        ? decided
        : decided.thenCompose(
            nothing -> granted ? tryLater() : CompletableFuture.completedStage(null));
  }

  private CompletionStage<?> tryLater() {
    List<CompletableFuture<?>> tries = new ArrayList<>(later.size());
    for (Demand demand : later) {
      tries.add(AsyncRateLimiter.takeAll(List.of(demand.charge())).toCompletableFuture());
    }
    return CompletableFuture.allOf(tries.toArray(CompletableFuture[]::new))
        .thenAccept(
            nothing -> {
              for (int i = 0; i < tries.size(); i++) {
                book(List.of(later.get(i)), (Receipts) tries.get(i).join());
              }
            });
  }

  private Charges charges() {
    List<Charge> charges = new ArrayList<>(deciding.size());
    for (Demand demand : deciding) {
      charges.add(demand.charge());
    }
    return Charges.of(charges);
  }

  private void decided(Receipts receipts) {
    book(deciding, receipts);
    granted = receipts.areGranted();
  }

  private void book(List<Demand> demands, Receipts receipts) {
    for (int i = 0; i < demands.size(); i++) {
      demands.get(i).decided(receipts.decisions().get(i));
    }
    booked.add(new Booked(demands, receipts));
  }

  /** Corrects what was taken to what each demand turned out to cost. */
  CompletionStage<Void> settle(ToLongFunction<Demand> actualCost) {
    CompletionStage<Void> all = CompletableFuture.completedStage(null);
    for (Booked each : booked) {
      CompletionStage<Void> settling =
          each.receipts.settleAsync(i -> actualCost.applyAsLong(each.demands.get(i)));
      all = all.thenCombine(settling, (nothing, alsoNothing) -> nothing);
    }
    return all;
  }

  /** Gives everything back. */
  void cancel() {
    booked.forEach(each -> each.receipts.cancel());
  }

  /** {@link #cancel} for callers that must not wait. */
  CompletionStage<Void> cancelAsync() {
    return settle(demand -> 0);
  }

  private record Booked(List<Demand> demands, Receipts receipts) {}
}
