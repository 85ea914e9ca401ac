package io.weir.rules.lint;

import io.weir.rules.RuleSet;
import io.weir.rules.file.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds rules that are valid but probably not intended. Thread-safe. */
public final class Lint {
  private static final List<Check> CHECKS =
      List.of(
          Check.ofEachRule(new ImpossibleValues()),
          Check.ofEachRule(new NeverApplies()),
          Check.ofEachRule(new DeadOverrides()),
          Check.ofEachRule(new MissingKeys()),
          Check.ofEachRule(new LargeLogs()),
          Check.ofEachRule(new CostNeverFits()),
          Check.ofEachRule(new RefusesEverything()),
          Check.ofEachRule(new PointlessLimits()),
          new UndeclaredAttributes(),
          new UnusedAttributes(),
          new DuplicateRules(),
          new PointlessRules(),
          new ShadowedDescriptors(),
          new UnknownReplaced(),
          new InventedKeys(),
          new UncoveredTraffic());

  private static final Comparator<Problem> BY_PLACE =
      Comparator.comparing((Problem problem) -> problem.place().file())
          .thenComparing(problem -> problem.place().line())
          .thenComparing(problem -> problem.place().column());

  private Lint() {}

  /** All warnings, by file and line. Takes seconds at most, even for a hundred thousand rules. */
  public static List<Problem> of(RuleSet rules) {
    Survey survey = Survey.of(rules);
    List<Problem> problems = new ArrayList<>();
    CHECKS.forEach(check -> check.inspect(survey, problems::add));
    problems.sort(BY_PLACE);
    return List.copyOf(problems);
  }
}
