package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds rules that are valid but probably not intended. Thread-safe. */
public final class Lint {
  private static final List<LintCheck> CHECKS =
      List.of(
          LintCheck.ofEachRule(new ImpossibleValues()),
          LintCheck.ofEachRule(new NeverApplies()),
          LintCheck.ofEachRule(new DeadOverrides()),
          LintCheck.ofEachRule(new MissingKeys()),
          LintCheck.ofEachRule(new LargeLogs()),
          LintCheck.ofEachRule(new CostNeverFits()),
          LintCheck.ofEachRule(new RefusesEverything()),
          LintCheck.ofEachRule(new PointlessLimits()),
          new UndeclaredAttributes(),
          new UnusedAttributes(),
          new DuplicateRules(),
          new PointlessRules(),
          new ShadowedDescriptors(),
          new UnknownReplaced(),
          new InventedKeys(),
          new UncoveredTraffic());

  private static final Comparator<Problem> BY_PLACE =
      Comparator.comparing((Problem problem) -> problem.sourceLocation().file())
          .thenComparing(problem -> problem.sourceLocation().line())
          .thenComparing(problem -> problem.sourceLocation().column());

  private Lint() {}

  /** All warnings, by file and line. Takes seconds at most, even for a hundred thousand rules. */
  public static List<Problem> of(RuleSet rules) {
    LintContext lintContext = LintContext.of(rules);
    List<Problem> problems = new ArrayList<>();
    CHECKS.forEach(lintCheck -> lintCheck.inspect(lintContext, problems::add));
    problems.sort(BY_PLACE);
    return List.copyOf(problems);
  }
}
