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

/** Makes the charges of one request once, and can undo them. */
public final class Charging<A> {
  /*
   * Charging has three steps. First the deciding charges, which must all fit, in one operation; and
   * the counting charges, which are made whatever the decision. Then, if that was granted, each
   * shadow charge by itself: it shows what it would refuse if it were enforced next. Last, and only
   * if the rules in force decided everything, full charges and refunds, because these cannot be
   * undone.
   *
   * Each step exists twice, for callers that block and for those that do not. The handling of
   * results is shared.
   */

  private final PendingCharges<A> pending;
  private final List<PendingCharge> deciding;
  private final int required;
  private List<PendingCharge> counted = List.of(); // most requests have none of these
  private List<PendingCharge> shadows = List.of();
  private List<PendingCharge> fullCharges = List.of();
  private List<PendingCharge> refunds = List.of();
  private final List<TakenCharges> taken = new ArrayList<>(1);
  private boolean granted = true;

  Charging(PendingCharges<A> pending) {
    this.pending = pending;
    List<PendingCharge> all = pending.list();
    this.deciding = new ArrayList<>(all.size());
    List<PendingCharge> quotas = List.of();
    for (int i = 0; i < all.size(); i++) {
      PendingCharge charge = all.get(i);
      switch (charge.kind()) {
        case TAKE, PEEK -> {
          if (charge.isQuota()) {
            quotas = with(charge, quotas);
          } else {
            deciding.add(charge);
          }
        }
        case COUNT -> counted = with(charge, counted);
        case SHADOW_TAKE, SHADOW_PEEK -> shadows = with(charge, shadows);
        case CHARGE_IN_FULL -> fullCharges = with(charge, fullCharges);
        case REFUND -> refunds = with(charge, refunds);
      }
    }
    this.required = deciding.size();
    deciding.addAll(quotas);
  }

  private static List<PendingCharge> with(PendingCharge charge, List<PendingCharge> others) {
    List<PendingCharge> all = others.isEmpty() ? new ArrayList<>(2) : others;
    all.add(charge);
    return all;
  }

  PendingCharges<A> pending() {
    return pending;
  }

  private Charges charges() {
    Charge[] all = new Charge[deciding.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = deciding.get(i).toCharge();
    }
    return required == all.length
        ? Charges.of(all.length == 2 ? List.of(all[0], all[1]) : List.of(all))
        : new Charges(
            List.of(all).subList(0, required), List.of(all).subList(required, all.length));
  }

  // For callers that block.

  /** Charges everything and waits for remote stores. */
  void now() {
    if (!deciding.isEmpty()) {
      decided(RateLimiter.take(charges()));
    }
    for (PendingCharge charge : counted) {
      addReceipts(charge, RateLimiter.takeAll(List.of(charge.toCharge())));
      if (charge.room() > 0) {
        charge.limiter().check(charge.key(), charge.room());
      }
    }
    for (PendingCharge charge : fullCharges) {
      charge.decided(charge.limiter().peek(charge.key(), 1));
    }
    if (granted && !shadows.isEmpty()) {
      chargeShadowsNow();
    }
  }

  private void chargeShadowsNow() {
    if (shadows.size() > 1 && pending.isRemote()) { // in parallel, because the store may be remote
      chargeShadowsLater().toCompletableFuture().join();
      return;
    }
    for (PendingCharge charge : shadows) {
      if (charge.kind() == PendingCharge.Kind.SHADOW_PEEK) {
        charge.decided(charge.limiter().peek(charge.key(), charge.cost()));
      } else {
        addReceipts(charge, RateLimiter.takeAll(List.of(charge.toCharge())));
      }
    }
  }

  /** Performs the steps that cannot be undone: see {@link #finishLater}. */
  void finishNow() {
    for (PendingCharge charge : fullCharges) {
      charge.limiter().chargeInFull(charge.key(), charge.countable());
    }
    for (PendingCharge charge : refunds) {
      if (mayRefund()) {
        charge.limiter().refund(charge.key(), charge.countable());
      }
      charge.decided(charge.limiter().peek(charge.key(), 0));
    }
  }

  /** Undoes everything. */
  void cancel() {
    taken.forEach(each -> each.receipts.cancel());
  }

  // For callers that must not block.

  /** {@link #now}. */
  CompletionStage<?> later() {
    CompletionStage<?> first =
        deciding.isEmpty()
            ? CompletableFuture.completedStage(null)
            : AsyncRateLimiter.take(charges()).thenAccept(this::decided);
    for (PendingCharge charge : counted) { // all are sent before the first response arrives
      CompletionStage<?> counting = count(charge);
      first = first.thenCombine(counting, (nothing, alsoNothing) -> nothing);
    }
    for (PendingCharge charge : fullCharges) {
      CompletionStage<?> peek =
          charge.limiter().async().peek(charge.key(), 1).thenAccept(charge::decided);
      first = first.thenCombine(peek, (nothing, alsoNothing) -> nothing);
    }
    return shadows.isEmpty()
        ? first
        : first.thenCompose(
            nothing -> granted ? chargeShadowsLater() : CompletableFuture.completedStage(null));
  }

  private CompletionStage<?> count(PendingCharge charge) {
    return AsyncRateLimiter.takeAll(List.of(charge.toCharge()))
        .thenCompose(
            receipts -> {
              addReceipts(charge, receipts);
              return charge.room() > 0
                  ? charge.limiter().async().check(charge.key(), charge.room())
                  : CompletableFuture.completedStage(null);
            });
  }

  private CompletionStage<?> chargeShadowsLater() {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (PendingCharge charge : shadows) {
      CompletionStage<?> one =
          charge.kind() == PendingCharge.Kind.SHADOW_PEEK
              ? charge
                  .limiter()
                  .async()
                  .peek(charge.key(), charge.cost())
                  .thenAccept(charge::decided)
              : AsyncRateLimiter.takeAll(List.of(charge.toCharge()))
                  .thenAccept(receipts -> addReceipts(charge, receipts));
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
    if (fullCharges.isEmpty()) {
      return refundLater();
    }
    List<CompletionStage<Void>> charges = new ArrayList<>(fullCharges.size());
    for (PendingCharge charge : fullCharges) {
      charges.add(charge.limiter().async().chargeInFull(charge.key(), charge.countable()));
    }
    return Corrections.once(charges)
        .exceptionally(lost -> null)
        .thenCompose(nothing -> refundLater());
  }

  private CompletionStage<?> refundLater() {
    if (refunds.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    List<CompletionStage<Void>> stages = new ArrayList<>(refunds.size());
    for (PendingCharge charge : refunds) {
      if (mayRefund()) {
        stages.add(charge.limiter().async().refund(charge.key(), charge.countable()));
      }
    }
    CompletionStage<Void> refunded = Corrections.once(stages);
    return (isOnlyRefunds() ? refunded : refunded.exceptionally(lost -> null))
        .thenCompose(nothing -> peekLater());
  }

  private boolean isOnlyRefunds() {
    return deciding.isEmpty() && counted.isEmpty() && shadows.isEmpty() && fullCharges.isEmpty();
  }

  /** Reads the state of the refunded buckets. */
  private CompletionStage<?> peekLater() {
    CompletionStage<?> all = CompletableFuture.completedStage(null);
    for (PendingCharge charge : refunds) {
      CompletionStage<?> peek =
          charge.limiter().async().peek(charge.key(), 0).thenAccept(charge::decided);
      all = all.thenCombine(peek, (nothing, alsoNothing) -> nothing);
    }
    return all;
  }

  /** Corrects each charge to its actual cost. */
  CompletionStage<Void> settle(ToLongFunction<PendingCharge> actualCost) {
    List<CompletionStage<Void>> all = new ArrayList<>(taken.size());
    for (TakenCharges each : taken) {
      all.add(each.receipts.settleAsync(i -> actualCost.applyAsLong(each.charged.get(i))));
    }
    return Corrections.repeatable(all);
  }

  /** Whether {@link #settle} has corrected anything. */
  boolean isTouched() {
    return taken.stream().anyMatch(each -> each.receipts.areTouched());
  }

  /** {@link #cancel}, asynchronously. A correction that does not reach the store is lost. */
  CompletionStage<Void> cancelAsync() {
    return settle(charge -> 0).exceptionally(lost -> null);
  }

  // For both.

  /** A refused caller will retry, so its refunds must not count twice. */
  private boolean mayRefund() {
    return granted || pending.isEachByItself();
  }

  private void decided(Receipts receipts) {
    addReceipts(deciding, receipts);
    granted = receipts.areGranted();
  }

  private void addReceipts(PendingCharge charge, Receipts receipts) {
    addReceipts(List.of(charge), receipts);
  }

  /** Responses may arrive at the same time, each on its own thread. */
  private synchronized void addReceipts(List<PendingCharge> charged, Receipts receipts) {
    for (int i = 0; i < charged.size(); i++) {
      charged.get(i).decided(receipts.decisions().get(i));
    }
    taken.add(new TakenCharges(charged, receipts));
  }

  private record TakenCharges(List<PendingCharge> charged, Receipts receipts) {}
}
