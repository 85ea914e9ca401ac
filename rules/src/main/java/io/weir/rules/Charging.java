package io.weir.rules;

import io.weir.AsyncRateLimiter;
import io.weir.Charge;
import io.weir.Charges;
import io.weir.Corrections;
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
   * In three steps. First what decides: all that must be there, together; and what counts whatever
   * anybody says. Then, if that was granted, what is only tried: each by itself, for what it would
   * refuse if it were the next to be enforced. Last, and only when everything was decided by the
   * rules in force, what is charged in full or given back, since there is no way back from that.
   *
   * Each step is there twice, for callers that wait and for those that do not; what is done with the
   * outcome is there once.
   */

  private final Bill<A> bill;
  private final List<Demand> deciding;
  private final int required;
  private final List<Demand> counted = new ArrayList<>(0);
  private final List<Demand> tried = new ArrayList<>(0);
  private final List<Demand> inFull = new ArrayList<>(0);
  private final List<Demand> givenBack = new ArrayList<>(0);
  private final List<Booked> booked = new ArrayList<>(1);
  private boolean granted = true;

  Charging(Bill<A> bill) {
    this.bill = bill;
    this.deciding = new ArrayList<>(bill.demands().size());
    List<Demand> quotas = new ArrayList<>(0);
    for (Demand demand : bill.demands()) {
      switch (demand.kind()) {
        case TAKE, LOOK -> (demand.isQuota() ? quotas : deciding).add(demand);
        case COUNT -> counted.add(demand);
        case TRY, GLANCE -> tried.add(demand);
        case CHARGE_IN_FULL -> inFull.add(demand);
        case GIVE_BACK -> givenBack.add(demand);
      }
    }
    this.required = deciding.size();
    deciding.addAll(quotas);
  }

  Bill<A> bill() {
    return bill;
  }

  private Charges charges() {
    List<Charge> all = new ArrayList<>(deciding.size());
    for (Demand demand : deciding) {
      all.add(demand.charge());
    }
    return required == all.size()
        ? Charges.of(all)
        : new Charges(all.subList(0, required), all.subList(required, all.size()));
  }

  // For callers that wait.

  /** Charges everything, waiting where a store is elsewhere. */
  void now() {
    if (!deciding.isEmpty()) {
      decided(RateLimiter.take(charges()));
    }
    for (Demand demand : counted) {
      book(demand, RateLimiter.takeAll(List.of(demand.charge())));
      if (demand.room() > 0) {
        demand.limiter().check(demand.key(), demand.room());
      }
    }
    for (Demand demand : inFull) {
      demand.decided(demand.limiter().peek(demand.key(), 1));
    }
    if (granted && !tried.isEmpty()) {
      tryNow();
    }
  }

  private void tryNow() {
    if (tried.size() > 1 && bill.isElsewhere()) { // all at once, since it may be far away
      tryLater().toCompletableFuture().join();
      return;
    }
    for (Demand demand : tried) {
      if (demand.kind() == Demand.Kind.GLANCE) {
        demand.decided(demand.limiter().peek(demand.key(), demand.cost()));
      } else {
        book(demand, RateLimiter.takeAll(List.of(demand.charge())));
      }
    }
  }

  /** Does what has no way back: see {@link #finishLater}. */
  void finishNow() {
    for (Demand demand : inFull) {
      demand.limiter().chargeInFull(demand.key(), demand.countable());
    }
    for (Demand demand : givenBack) {
      if (mayGiveBack()) {
        demand.limiter().refund(demand.key(), demand.countable());
      }
      demand.decided(demand.limiter().peek(demand.key(), 0));
    }
  }

  /** Undoes everything. */
  void cancel() {
    booked.forEach(each -> each.receipts.cancel());
  }

  // For callers that must not wait.

  /** {@link #now}. */
  CompletionStage<?> later() {
    CompletionStage<?> first =
        deciding.isEmpty()
            ? CompletableFuture.completedStage(null)
            : AsyncRateLimiter.take(charges()).thenAccept(this::decided);
    for (Demand demand : counted) { // all on their way before an answer is there
      CompletionStage<?> counting = count(demand);
      first = first.thenCombine(counting, (nothing, alsoNothing) -> nothing);
    }
    for (Demand demand : inFull) {
      CompletionStage<?> looking =
          demand.limiter().async().peek(demand.key(), 1).thenAccept(demand::decided);
      first = first.thenCombine(looking, (nothing, alsoNothing) -> nothing);
    }
    return tried.isEmpty()
        ? first
        : first.thenCompose(
            nothing -> granted ? tryLater() : CompletableFuture.completedStage(null));
  }

  private CompletionStage<?> count(Demand demand) {
    return AsyncRateLimiter.takeAll(List.of(demand.charge()))
        .thenCompose(
            receipts -> {
              book(demand, receipts);
              return demand.room() > 0
                  ? demand.limiter().async().check(demand.key(), demand.room())
                  : CompletableFuture.completedStage(null);
            });
  }

  private CompletionStage<?> tryLater() {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (Demand demand : tried) {
      CompletionStage<?> one =
          demand.kind() == Demand.Kind.GLANCE
              ? demand
                  .limiter()
                  .async()
                  .peek(demand.key(), demand.cost())
                  .thenAccept(demand::decided)
              : AsyncRateLimiter.takeAll(List.of(demand.charge()))
                  .thenAccept(receipts -> book(demand, receipts));
      all = all.thenCombine(one, (nothing, alsoNothing) -> nothing);
    }
    return all;
  }

  /**
   * Charges in full, then gives back: neither can be undone.
   *
   * <p>A full charge that a store does not get is lost, as {@code on_failure} allows: the use has
   * happened, and the store counts what it lost. Where nothing else was charged, giving back fails
   * if the store could not be reached. Where something was, a caller that hears of a failure would
   * ask again and be charged twice: what gets lost there comes back in time.
   */
  CompletionStage<?> finishLater() {
    if (inFull.isEmpty()) {
      return giveBackLater();
    }
    List<CompletionStage<Void>> charges = new ArrayList<>(inFull.size());
    for (Demand demand : inFull) {
      charges.add(demand.limiter().async().chargeInFull(demand.key(), demand.countable()));
    }
    return Corrections.once(charges)
        .exceptionally(lost -> null)
        .thenCompose(nothing -> giveBackLater());
  }

  private CompletionStage<?> giveBackLater() {
    if (givenBack.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    List<CompletionStage<Void>> refunds = new ArrayList<>(givenBack.size());
    for (Demand demand : givenBack) {
      if (mayGiveBack()) {
        refunds.add(demand.limiter().async().refund(demand.key(), demand.countable()));
      }
    }
    CompletionStage<Void> refunded = Corrections.once(refunds);
    return (isOnlyGivingBack() ? refunded : refunded.exceptionally(lost -> null))
        .thenCompose(nothing -> lookLater());
  }

  private boolean isOnlyGivingBack() {
    return deciding.isEmpty() && counted.isEmpty() && tried.isEmpty() && inFull.isEmpty();
  }

  /** How those stand who were given something back. */
  private CompletionStage<?> lookLater() {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (Demand demand : givenBack) {
      CompletionStage<?> told =
          demand.limiter().async().peek(demand.key(), 0).thenAccept(demand::decided);
      all = all.thenCombine(told, (nothing, alsoNothing) -> nothing);
    }
    return all;
  }

  /** Corrects what was taken to what each demand turned out to cost. */
  CompletionStage<Void> settle(ToLongFunction<Demand> actualCost) {
    List<CompletionStage<Void>> all = new ArrayList<>(booked.size());
    for (Booked each : booked) {
      all.add(each.receipts.settleAsync(i -> actualCost.applyAsLong(each.demands.get(i))));
    }
    return Corrections.repeatable(all);
  }

  /** Whether {@link #settle} has corrected anything. */
  boolean isTouched() {
    return booked.stream().anyMatch(each -> each.receipts.areTouched());
  }

  /** {@link #cancel}: what a store cannot be told is lost. */
  CompletionStage<Void> cancelAsync() {
    return settle(demand -> 0).exceptionally(lost -> null);
  }

  // For both.

  /** Who is refused will ask again; what they give back must not count twice. */
  private boolean mayGiveBack() {
    return granted || bill.isEachByItself();
  }

  private void decided(Receipts receipts) {
    book(deciding, receipts);
    granted = receipts.areGranted();
  }

  private void book(Demand demand, Receipts receipts) {
    book(List.of(demand), receipts);
  }

  /** Answers may come at the same time, each on its own thread. */
  private synchronized void book(List<Demand> demands, Receipts receipts) {
    for (int i = 0; i < demands.size(); i++) {
      demands.get(i).decided(receipts.decisions().get(i));
    }
    booked.add(new Booked(demands, receipts));
  }

  private record Booked(List<Demand> demands, Receipts receipts) {}
}
