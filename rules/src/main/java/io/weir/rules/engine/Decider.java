package io.weir.rules.engine;

import io.weir.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests, each by one rule set from beginning to end. {@link ActiveRules} describes what
 * happens if rules are replaced meanwhile.
 */
public final class Decider {
  private final ActiveRules activeRules;

  public Decider(ActiveRules activeRules) {
    this.activeRules = activeRules;
  }

  /** Decides and waits for remote stores. */
  public <A> A now(ChargesFactory<A> factory) {
    while (true) {
      RulesSnapshot rules = activeRules.rulesSnapshot();
      A result = tryNow(factory, rules, factory.under(rules));
      if (result != null) {
        return result;
      }
    }
  }

  /** {@link #now} for callers that must not block; complete at once if no store is remote. */
  public <A> CompletionStage<A> later(ChargesFactory<A> factory) {
    RulesSnapshot rules = activeRules.rulesSnapshot();
    PendingCharges<A> pending = factory.under(rules);
    if (!pending.isRemote()) {
      A result = tryNow(factory, rules, pending);
      return CompletableFuture.completedFuture(result == null ? now(factory) : result);
    }
    PendingCharge single = pending.single();
    if (single == null) {
      return charge(factory, rules, pending).thenApply(charging -> charging.pending().result());
    }
    return single
        .limiter()
        .async()
        .check(single.key(), single.cost())
        .thenCompose(
            decision -> {
              A result = singleResult(factory, rules, pending, single, decision);
              return result == null ? later(factory) : CompletableFuture.completedStage(result);
            });
  }

  /** Charges a request so that the charges can be corrected later. */
  public <A> CompletionStage<Charging<A>> charge(ChargesFactory<A> factory) {
    RulesSnapshot rules = activeRules.rulesSnapshot();
    return charge(factory, rules, factory.under(rules));
  }

  private <A> CompletionStage<Charging<A>> charge(
      ChargesFactory<A> factory, RulesSnapshot rules, PendingCharges<A> pending) {
    Charging<A> charging = new Charging<>(pending);
    return charging
        .later()
        .thenCompose(
            nothing ->
                isValid(rules, pending)
                    ? charging.finishLater().thenApply(done -> charging)
                    : charging.cancelAsync().thenCompose(cancelled -> charge(factory)));
  }

  private <A> @Nullable A tryNow(
      ChargesFactory<A> factory, RulesSnapshot rules, PendingCharges<A> pending) {
    PendingCharge single = pending.single();
    if (single != null) {
      Decision decision = single.limiter().check(single.key(), single.cost());
      return singleResult(factory, rules, pending, single, decision);
    }
    Charging<A> charging = new Charging<>(pending);
    charging.now();
    if (isValid(rules, pending)) {
      charging.finishNow();
      return pending.result();
    }
    charging.cancel();
    return null;
  }

  private boolean isValid(RulesSnapshot rules, PendingCharges<?> pending) {
    return !pending.areByOtherLimits() || !activeRules.hasChanged(rules, pending.limiterHandles());
  }

  /**
   * The result if one rule applies, which is the usual case. It uses no receipts, which cost half
   * as much again as the decision. A decision by the limits of later rules is valid if those rules
   * make the same charge. If not, there is no result, and the permits stay taken.
   */
  private <A> @Nullable A singleResult(
      ChargesFactory<A> factory,
      RulesSnapshot rules,
      PendingCharges<A> pending,
      PendingCharge single,
      Decision decision) {
    single.decided(decision);
    if (isValid(rules, pending)) {
      return pending.result();
    }
    for (RulesSnapshot later = rules.next(); later != null; later = later.next()) {
      PendingCharges<A> retried = factory.under(later);
      PendingCharge same = retried.single();
      if (same != null && same.isSameAs(single)) {
        same.decided(decision);
        if (!same.isByOtherLimits()) {
          return retried.result();
        }
      }
    }
    return null;
  }
}
