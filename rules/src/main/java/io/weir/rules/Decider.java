package io.weir.rules;

import io.weir.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides questions, each by one rule set from beginning to end. {@link Rulebook} describes what
 * happens if rules are replaced meanwhile.
 */
final class Decider {
  private final Rulebook rulebook;

  Decider(Rulebook rulebook) {
    this.rulebook = rulebook;
  }

  /** Decides and waits for remote stores. */
  <A> A now(Question<A> question) {
    while (true) {
      InForce rules = rulebook.inForce();
      A answer = tryNow(question, rules, question.under(rules));
      if (answer != null) {
        return answer;
      }
    }
  }

  /** {@link #now} for callers that must not block; complete at once if no store is remote. */
  <A> CompletionStage<A> later(Question<A> question) {
    InForce rules = rulebook.inForce();
    Bill<A> bill = question.under(rules);
    if (!bill.isElsewhere()) {
      A answer = tryNow(question, rules, bill);
      return CompletableFuture.completedFuture(answer == null ? now(question) : answer);
    }
    Demand alone = bill.alone();
    if (alone == null) {
      return charge(question, rules, bill).thenApply(charging -> charging.bill().answer());
    }
    return alone
        .limiter()
        .async()
        .check(alone.key(), alone.cost())
        .thenCompose(
            decision -> {
              A answer = answerAlone(question, rules, bill, alone, decision);
              return answer == null ? later(question) : CompletableFuture.completedStage(answer);
            });
  }

  /** Charges the demands of a question so that they can be corrected later. */
  <A> CompletionStage<Charging<A>> charge(Question<A> question) {
    InForce rules = rulebook.inForce();
    return charge(question, rules, question.under(rules));
  }

  private <A> CompletionStage<Charging<A>> charge(
      Question<A> question, InForce rules, Bill<A> bill) {
    Charging<A> charging = new Charging<>(bill);
    return charging
        .later()
        .thenCompose(
            nothing ->
                stands(rules, bill)
                    ? charging.finishLater().thenApply(done -> charging)
                    : charging.cancelAsync().thenCompose(cancelled -> charge(question)));
  }

  private <A> @Nullable A tryNow(Question<A> question, InForce rules, Bill<A> bill) {
    Demand alone = bill.alone();
    if (alone != null) {
      Decision decision = alone.limiter().check(alone.key(), alone.cost());
      return answerAlone(question, rules, bill, alone, decision);
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

  private boolean stands(InForce rules, Bill<?> bill) {
    return !bill.isByOtherLimits() || !rulebook.hasMovedOn(rules, bill.bounds());
  }

  /**
   * The answer if one rule applies, which is the usual case. It uses no receipts, which cost half
   * as much again as the decision. A decision by the limits of later rules is valid if those rules
   * make the same demand. If not, there is no answer, and the permits stay taken.
   */
  private <A> @Nullable A answerAlone(
      Question<A> question, InForce rules, Bill<A> bill, Demand alone, Decision decision) {
    alone.decided(decision);
    if (stands(rules, bill)) {
      return bill.answer();
    }
    for (InForce later = rules.next(); later != null; later = later.next()) {
      Bill<A> anew = question.under(later);
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
