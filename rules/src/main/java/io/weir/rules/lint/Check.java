package io.weir.rules.lint;

import io.weir.rules.file.Problem;
import java.util.function.Consumer;

/** One kind of warning. A false warning is a defect: what is not certain is not said. */
@FunctionalInterface
interface Check {
  /** Reports all of its kind that {@code survey} gives reason for. */
  void inspect(Survey survey, Consumer<Problem> report);

  /** A kind of warning that needs to look at one rule only. */
  static Check ofEachRule(OfOneRule check) {
    return (survey, report) -> survey.subjects().forEach(subject -> check.inspect(subject, report));
  }

  /** What is to be said of one rule. */
  @FunctionalInterface
  interface OfOneRule {
    /** Reports what there is to say of {@code subject}. */
    void inspect(Subject subject, Consumer<Problem> report);
  }
}
