package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Rule;
import io.weir.rules.file.Problem;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Test;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds rules with contradictory parts, which never count a request. */
final class NeverApplies implements Check.OfOneRule {
  @Override
  public void inspect(Subject subject, Consumer<Problem> report) {
    if (!subject.isPossible(subject.rule().match())) {
      return; // reported for the value
    }
    String why = why(subject);
    if (why != null) {
      report.accept(
          Problem.warning(subject.rule().place(), subject.title() + " never applies: " + why));
    }
  }

  /** Why no request is counted, and what to do; null if some may be. */
  static @Nullable String why(Subject subject) {
    Rule rule = subject.rule();
    Match reach = subject.reach();
    if (reach == null) {
      return contradictionOfKey(rule);
    }
    for (Match exempt : rule.exempt()) {
      if (MatchAlgebra.covers(exempt, reach)) {
        return "'exempt' " + exempt + " covers all that it matches; narrow it, or remove the rule";
      }
    }
    return contradictionOfLookup(subject, reach);
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
  private static @Nullable String contradictionOfLookup(Subject subject, Match reach) {
    for (Condition condition : reach.conditions()) {
      String name = condition.attribute();
      if (!subject.isSegment(name)
          && subject.vocabulary().source(name) instanceof AttributeSource.Lookup lookup
          && !subject.isSegment(lookup.attribute())
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
                ? new Test.Absent()
                : new Test.Is(lookup.otherwise().get()));
    return !MatchAlgebra.areDisjoint(condition, given);
  }

  private static boolean isAbsent(Match match, String attribute) {
    return match.conditions().stream()
        .anyMatch(condition -> condition.attribute().equals(attribute) && isAbsent(condition));
  }

  private static boolean isAbsent(Condition condition) {
    return condition.anyOf().stream().allMatch(Test.Absent.class::isInstance);
  }
}
