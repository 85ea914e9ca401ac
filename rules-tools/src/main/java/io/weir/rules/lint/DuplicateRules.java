package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Cost;
import io.weir.rules.Policy;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.match.Match;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Finds rules that are equal except for their names. */
final class DuplicateRules implements LintCheck {
  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    for (LintContext.InspectedDomain inspectedDomain : lintContext.territories()) {
      Map<Essence, Rule> seen = new HashMap<>();
      for (InspectedRule inspectedRule : inspectedDomain.inspectedRules()) {
        Rule first = seen.putIfAbsent(Essence.of(inspectedRule.rule()), inspectedRule.rule());
        if (first != null) {
          report.accept(
              Problem.warning(
                  inspectedRule.rule().sourceLocation(),
                  inspectedRule.title()
                      + (" is the same as rule '"
                          + first.name()
                          + "' ("
                          + first.sourceLocation()
                          + ")")
                      + " except for its name; remove one of them"));
        }
      }
    }
  }

  /** A rule without its names and places. */
  record Essence(
      Match match,
      Set<Match> exempt,
      List<String> per,
      Cost cost,
      List<Limit> limits,
      List<Exceptional> overrides,
      Policy policy) {
    static Essence of(Rule rule) {
      return new Essence(
          rule.match(),
          Set.copyOf(rule.exempt()),
          rule.per(),
          rule.cost(),
          rule.limits(),
          rule.ruleOverrides().stream()
              .map(each -> new Exceptional(each.match(), each.limits()))
              .toList(),
          rule.policy());
    }
  }

  /** An override without its name and place. */
  record Exceptional(Match match, List<Limit> limits) {}
}
