package io.weir.rules.lint;

import io.weir.rules.file.Problem;
import java.util.function.Consumer;

/** One kind of warning. A false warning is a bug: uncertain cases are not reported. */
@FunctionalInterface
interface Check {
  /** Reports all warnings of this kind for {@code survey}. */
  void inspect(Survey survey, Consumer<Problem> report);

  /** A kind of warning that looks at one rule at a time. */
  static Check ofEachRule(OfOneRule check) {
    return (survey, report) -> survey.subjects().forEach(subject -> check.inspect(subject, report));
  }

  /** Checks one rule. */
  @FunctionalInterface
  interface OfOneRule {
    /** Reports the warnings for {@code subject}. */
    void inspect(Subject subject, Consumer<Problem> report);
  }
}
