package io.weir.rules.lint;

import io.weir.rules.Problem;
import java.util.function.Consumer;

/** One kind of warning. A false warning is a bug: uncertain cases are not reported. */
@FunctionalInterface
interface LintCheck {
  /** Reports all warnings of this kind for {@code lintContext}. */
  void inspect(LintContext lintContext, Consumer<Problem> report);

  /** A kind of warning that looks at one rule at a time. */
  static LintCheck ofEachRule(OfOneRule check) {
    return (lintContext, report) ->
        lintContext.inspectedRules().forEach(inspectedRule -> check.inspect(inspectedRule, report));
  }

  /** Checks one rule. */
  @FunctionalInterface
  interface OfOneRule {
    /** Reports the warnings for {@code inspectedRule}. */
    void inspect(InspectedRule inspectedRule, Consumer<Problem> report);
  }
}
