package io.weir.rules.engine;

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

/** Charges the demands of a bill once, and can undo the charges. */
public final class Charging<A> {
  /*
   * Charging has three steps. First the deciding demands, which must all fit, in one operation; and
   * the counting demands, which are charged whatever the decision. Then, if that was granted, each
   * shadow demand by itself: it shows what it would refuse if it were enforced next. Last, and only
   * if the rules in force decided everything, full charges and refunds, because these cannot be
   * undone.
   *
   * Each step exists twice, for callers that block and for those that do not. The handling of
   * results is shared.
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

  // For callers that block.

  /** Charges everything and waits for remote stores. */
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
    if (tried.size() > 1 && bill.isElsewhere()) { // in parallel, because the store may be remote
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

  /** Performs the steps that cannot be undone: see {@link #finishLater}. */
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

  // For callers that must not block.

  /** {@link #now}. */
  CompletionStage<?> later() {
    CompletionStage<?> first =
        deciding.isEmpty()
            ? CompletableFuture.completedStage(null)
            : AsyncRateLimiter.take(charges()).thenAccept(this::decided);
    for (Demand demand : counted) { // all are sent before the first response arrives
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
   * Charges in full, then refunds: neither can be undone.
   *
   * <p>A full charge that does not reach the store is lost, as {@code on_failure} permits: the use
   * has already happened, and the store counts its losses. If nothing else was charged, a refund
   * fails when the store cannot be reached. Otherwise a failed refund is ignored, because a caller
   * that sees a failure would retry and be charged twice. The lost permits come back with time.
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

  /** Reads the state of the refunded buckets. */
  private CompletionStage<?> lookLater() {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (Demand demand : givenBack) {
      CompletionStage<?> told =
          demand.limiter().async().peek(demand.key(), 0).thenAccept(demand::decided);
      all = all.thenCombine(told, (nothing, alsoNothing) -> nothing);
    }
    return all;
  }

  /** Corrects each charge to its actual cost. */
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

  /** {@link #cancel}, asynchronously. A correction that does not reach the store is lost. */
  CompletionStage<Void> cancelAsync() {
    return settle(demand -> 0).exceptionally(lost -> null);
  }

  // For both.

  /** A refused caller will retry, so its refunds must not count twice. */
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

  /** Responses may arrive at the same time, each on its own thread. */
  private synchronized void book(List<Demand> demands, Receipts receipts) {
    for (int i = 0; i < demands.size(); i++) {
      demands.get(i).decided(receipts.decisions().get(i));
    }
    booked.add(new Booked(demands, receipts));
  }

  private record Booked(List<Demand> demands, Receipts receipts) {}
}
