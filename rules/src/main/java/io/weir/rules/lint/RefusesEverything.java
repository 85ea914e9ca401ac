package io.weir.rules.lint;

import io.weir.rules.Rule;
import io.weir.rules.file.Problem;
import java.util.function.Consumer;

/** Finds an enforced rate of zero for all requests. */
final class RefusesEverything implements Check.OfOneRule {
  @Override
  public void inspect(Subject subject, Consumer<Problem> report) {
    Rule rule = subject.rule();
    boolean isForAll =
        rule.match().conditions().isEmpty()
            && rule.exempt().isEmpty()
            && rule.variants().isEmpty()
            && rule.per().stream().noneMatch(subject::mayBeMissing);
    boolean isZero = rule.limits().stream().anyMatch(limit -> limit.permits() == 0);
    if (subject.isEnforced() && isForAll && isZero) {
      report.accept(
          Problem.warning(
              rule.place(),
              subject.title()
                  + " refuses every request: its rate is 0 and it matches all of them; give it a"
                  + " 'match', or say mode: shadow or mode: off"));
    }
  }
}
