package io.weir.rules.engine;

import io.weir.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides questions, each by one rule set from beginning to end. {@link ActiveRules} describes what
 * happens if rules are replaced meanwhile.
 */
public final class Decider {
  private final ActiveRules activeRules;

  public Decider(ActiveRules activeRules) {
    this.activeRules = activeRules;
  }

  /** Decides and waits for remote stores. */
  public <A> A now(BillFactory<A> billFactory) {
    while (true) {
      RulesSnapshot rules = activeRules.rulesSnapshot();
      A answer = tryNow(billFactory, rules, billFactory.under(rules));
      if (answer != null) {
        return answer;
      }
    }
  }

  /** {@link #now} for callers that must not block; complete at once if no store is remote. */
  public <A> CompletionStage<A> later(BillFactory<A> billFactory) {
    RulesSnapshot rules = activeRules.rulesSnapshot();
    Bill<A> bill = billFactory.under(rules);
    if (!bill.isElsewhere()) {
      A answer = tryNow(billFactory, rules, bill);
      return CompletableFuture.completedFuture(answer == null ? now(billFactory) : answer);
    }
    Demand alone = bill.alone();
    if (alone == null) {
      return charge(billFactory, rules, bill).thenApply(charging -> charging.bill().answer());
    }
    return alone
        .limiter()
        .async()
        .check(alone.key(), alone.cost())
        .thenCompose(
            decision -> {
              A answer = answerAlone(billFactory, rules, bill, alone, decision);
              return answer == null ? later(billFactory) : CompletableFuture.completedStage(answer);
            });
  }

  /** Charges the demands of a question so that they can be corrected later. */
  public <A> CompletionStage<Charging<A>> charge(BillFactory<A> billFactory) {
    RulesSnapshot rules = activeRules.rulesSnapshot();
    return charge(billFactory, rules, billFactory.under(rules));
  }

  private <A> CompletionStage<Charging<A>> charge(
      BillFactory<A> billFactory, RulesSnapshot rules, Bill<A> bill) {
    Charging<A> charging = new Charging<>(bill);
    return charging
        .later()
        .thenCompose(
            nothing ->
                stands(rules, bill)
                    ? charging.finishLater().thenApply(done -> charging)
                    : charging.cancelAsync().thenCompose(cancelled -> charge(billFactory)));
  }

  private <A> @Nullable A tryNow(BillFactory<A> billFactory, RulesSnapshot rules, Bill<A> bill) {
    Demand alone = bill.alone();
    if (alone != null) {
      Decision decision = alone.limiter().check(alone.key(), alone.cost());
      return answerAlone(billFactory, rules, bill, alone, decision);
    }
    Charging<A> charging = new Charging<>(bill);
    charging.now();
    if (stands(rules, bill)) {
      charging.finishNow();
      return bill.answer();
    }
    charging.cancel();
    return null;
  }

  private boolean stands(RulesSnapshot rules, Bill<?> bill) {
    return !bill.isByOtherLimits() || !activeRules.hasMovedOn(rules, bill.limiterHandles());
  }

  /**
   * The answer if one rule applies, which is the usual case. It uses no receipts, which cost half
   * as much again as the decision. A decision by the limits of later rules is valid if those rules
   * make the same demand. If not, there is no answer, and the permits stay taken.
   */
  private <A> @Nullable A answerAlone(
      BillFactory<A> billFactory,
      RulesSnapshot rules,
      Bill<A> bill,
      Demand alone,
      Decision decision) {
    alone.decided(decision);
    if (stands(rules, bill)) {
      return bill.answer();
    }
    for (RulesSnapshot later = rules.next(); later != null; later = later.next()) {
      Bill<A> anew = billFactory.under(later);
      Demand same = anew.alone();
      if (same != null && same.asksTheSameAs(alone)) {
        same.decided(decision);
        if (!same.isByOtherLimits()) {
          return anew.answer();
        }
      }
    }
    return null;
  }
}
