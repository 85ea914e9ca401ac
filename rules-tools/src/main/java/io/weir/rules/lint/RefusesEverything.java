package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.Rule;
import java.util.function.Consumer;

/** Finds an enforced rate of zero for all requests. */
final class RefusesEverything implements LintCheck.OfOneRule {
  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    Rule rule = inspectedRule.rule();
    boolean isForAll =
        rule.match().conditions().isEmpty()
            && rule.exempt().isEmpty()
            && rule.ruleOverrides().isEmpty()
            && rule.per().stream().noneMatch(inspectedRule::mayBeMissing);
    boolean isZero = rule.limits().stream().anyMatch(limit -> limit.permits() == 0);
    if (inspectedRule.isEnforced() && isForAll && isZero) {
      report.accept(
          Problem.warning(
              rule.sourceLocation(),
              inspectedRule.title()
                  + " refuses every request: its rate is 0 and it matches all of them; give it a"
                  + " 'match', or say mode: shadow or mode: off"));
    }
  }
}
