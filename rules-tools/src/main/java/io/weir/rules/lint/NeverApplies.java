package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds rules with contradictory parts, which never count a request. */
final class NeverApplies implements LintCheck.OfOneRule {
  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    if (!inspectedRule.isPossible(inspectedRule.rule().match())) {
      return; // reported for the value
    }
    String why = why(inspectedRule);
    if (why != null) {
      report.accept(
          Problem.warning(
              inspectedRule.rule().sourceLocation(),
              inspectedRule.title() + " never applies: " + why));
    }
  }

  /** Why no request is counted, and what to do; null if some may be. */
  static @Nullable String why(InspectedRule inspectedRule) {
    Rule rule = inspectedRule.rule();
    Match reach = inspectedRule.reach();
    if (reach == null) {
      return contradictionOfKey(rule);
    }
    for (Match exempt : rule.exempt()) {
      if (MatchAlgebra.covers(exempt, reach)) {
        return "'exempt' " + exempt + " covers all that it matches; narrow it, or remove the rule";
      }
    }
    return contradictionOfLookup(inspectedRule, reach);
  }

  private static String contradictionOfKey(Rule rule) {
    String name =
        rule.match().conditions().stream()
            .filter(NeverApplies::isAbsent)
            .map(Condition::attribute)
            .filter(rule.per()::contains)
            .findFirst()
            .orElseThrow();
    return "it is per '"
        + (name + "', but matches only requests without it; take '" + name + "' out of ")
        + "'per', or out of 'match'";
  }

  /** A request without the key of a lookup gets the default, so it cannot have any other value. */
  private static @Nullable String contradictionOfLookup(InspectedRule inspectedRule, Match reach) {
    for (Condition condition : reach.conditions()) {
      String name = condition.attribute();
      if (!inspectedRule.isSegment(name)
          && inspectedRule.domainAttributes().source(name) instanceof AttributeSource.Lookup lookup
          && !inspectedRule.isSegment(lookup.attribute())
          && isAbsent(reach, lookup.attribute())
          && !holdsForDefault(condition, lookup)) {
        return "it matches only requests without '"
            + (lookup.attribute() + "', where '" + name + "' is ")
            + lookup.otherwise().map(value -> "always '" + value + "'").orElse("always absent")
            + ", but asks for "
            + condition;
      }
    }
    return null;
  }

  /** Whether a condition on a lookup holds for its default. */
  static boolean holdsForDefault(Condition condition, AttributeSource.Lookup lookup) {
    Condition given =
        Condition.of(
            condition.attribute(),
            lookup.otherwise().isEmpty()
                ? new ValueMatcher.Absent()
                : new ValueMatcher.Is(lookup.otherwise().get()));
    return !MatchAlgebra.areDisjoint(condition, given);
  }

  private static boolean isAbsent(Match match, String attribute) {
    return match.conditions().stream()
        .anyMatch(condition -> condition.attribute().equals(attribute) && isAbsent(condition));
  }

  private static boolean isAbsent(Condition condition) {
    return condition.anyOf().stream().allMatch(ValueMatcher.Absent.class::isInstance);
  }
}
