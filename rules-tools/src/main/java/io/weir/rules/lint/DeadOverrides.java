package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds overrides that are never used, and limits that overrides replace for all requests. */
final class DeadOverrides implements LintCheck.OfOneRule {
  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    Rule rule = inspectedRule.rule();
    Match reach = inspectedRule.reach();
    boolean isDead =
        !inspectedRule.isPossible(rule.match()) || NeverApplies.why(inspectedRule) != null;
    if (reach == null || isDead) {
      return; // NeverApplies reports this rule
    }
    CoverIndex<RuleOverride> earlier = new CoverIndex<>();
    for (RuleOverride ruleOverride : rule.ruleOverrides()) {
      if (!inspectedRule.isPossible(ruleOverride.match())) {
        continue; // reported for the value
      }
      String why = why(rule, ruleOverride, reach, earlier);
      if (why != null) {
        report.accept(
            Problem.warning(
                ruleOverride.sourceLocation(),
                inspectedRule.title(ruleOverride) + " is never used: " + why));
      }
      earlier.add(ruleOverride.match(), ruleOverride);
    }
    if (!rule.limits().isEmpty()) {
      inspectOwnLimit(inspectedRule, earlier.covering(reach), report);
    }
  }

  private static @Nullable String why(
      Rule rule, RuleOverride ruleOverride, Match reach, CoverIndex<RuleOverride> earlier) {
    for (Condition condition : ruleOverride.match().conditions()) {
      for (Condition given : reach.conditions()) {
        if (condition.attribute().equals(given.attribute())
            && MatchAlgebra.areDisjoint(condition, given)) {
          return "it asks for {" + condition + "}, but the rule is only for {" + given + "}";
        }
      }
    }
    for (Match exempt : rule.exempt()) {
      if (MatchAlgebra.covers(exempt, ruleOverride.match(), reach)) {
        return "'exempt' " + exempt + " of the rule covers all that it matches";
      }
    }
    List<RuleOverride> covering = earlier.covering(ruleOverride.match(), reach);
    return covering.isEmpty()
        ? null
        : "the earlier override "
            + covering.get(0).id()
            + (" (line " + covering.get(0).sourceLocation().line() + ") ")
            + "matches all of its requests; put the narrower one first";
  }

  private static void inspectOwnLimit(
      InspectedRule inspectedRule, List<RuleOverride> covering, Consumer<Problem> report) {
    if (!covering.isEmpty()) {
      report.accept(
          Problem.warning(
              inspectedRule.rule().sourceLocation(),
              "the limit of "
                  + (inspectedRule.title() + " itself is never used: its override ")
                  + covering.get(0).id()
                  + " matches all of its requests; narrow the override, or remove it"));
    }
  }
}
