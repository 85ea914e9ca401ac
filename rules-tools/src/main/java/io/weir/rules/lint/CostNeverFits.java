package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Cost;
import io.weir.rules.Problem;
import java.util.function.Consumer;

/** Finds a fixed cost above the capacity of a limit: every request is refused. */
final class CostNeverFits implements LintCheck.OfOneRule {
  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    if (!(inspectedRule.rule().cost() instanceof Cost.Fixed fixed)) {
      return;
    }
    for (InspectedRule.InspectedLimits inspectedLimits : inspectedRule.meterages()) {
      for (Limit limit : inspectedLimits.limits()) {
        if (limit.permits() > 0 && fixed.permits() > limit.capacity()) {
          report.accept(
              Problem.warning(
                  inspectedLimits.sourceLocation(),
                  inspectedLimits.title()
                      + (" refuses every request: a cost of " + fixed.permits() + " never fits ")
                      + (room(limit) + "; " + remedy(limit, fixed.permits()))));
        }
      }
    }
  }

  private static String room(Limit limit) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return "a burst of " + bucket.burst();
    }
    return limit instanceof Limit.LeakyBucket bucket
        ? "a queue of " + bucket.queue()
        : "a " + limit.algorithm() + " of " + limit.permits();
  }

  private static String remedy(Limit limit, long cost) {
    if (limit instanceof Limit.TokenBucket) {
      return "raise 'burst' to " + cost + " or more, or lower the cost";
    }
    return limit instanceof Limit.LeakyBucket
        ? "raise 'queue' to " + (cost - 1) + " or more, or lower the cost"
        : "raise the rate, or lower the cost";
  }
}
