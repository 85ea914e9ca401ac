package io.weir.rules.lint;

import io.weir.rules.Rule;
import io.weir.rules.Variant;
import io.weir.rules.file.Problem;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds overrides that are never used, and limits that overrides replace for all requests. */
final class DeadOverrides implements Check.OfOneRule {
  @Override
  public void inspect(Subject subject, Consumer<Problem> report) {
    Rule rule = subject.rule();
    Match reach = subject.reach();
    boolean isDead = !subject.isPossible(rule.match()) || NeverApplies.why(subject) != null;
    if (reach == null || isDead) {
      return; // the rule never applies, which is reported elsewhere
    }
    CoverIndex<Variant> earlier = new CoverIndex<>();
    for (Variant variant : rule.variants()) {
      if (!subject.isPossible(variant.match())) {
        continue; // reported for the value
      }
      String why = why(rule, variant, reach, earlier);
      if (why != null) {
        report.accept(
            Problem.warning(variant.place(), subject.title(variant) + " is never used: " + why));
      }
      earlier.add(variant.match(), variant);
    }
    if (!rule.limits().isEmpty()) {
      inspectOwnLimit(subject, earlier.covering(reach), report);
    }
  }

  private static @Nullable String why(
      Rule rule, Variant variant, Match reach, CoverIndex<Variant> earlier) {
    for (Condition asked : variant.match().conditions()) {
      for (Condition given : reach.conditions()) {
        if (asked.attribute().equals(given.attribute()) && MatchAlgebra.areDisjoint(asked, given)) {
          return "it asks for {" + asked + "}, but the rule is only for {" + given + "}";
        }
      }
    }
    for (Match exempt : rule.exempt()) {
      if (MatchAlgebra.covers(exempt, variant.match(), reach)) {
        return "'exempt' " + exempt + " of the rule covers all that it matches";
      }
    }
    List<Variant> covering = earlier.covering(variant.match(), reach);
    return covering.isEmpty()
        ? null
        : "the earlier override "
            + covering.get(0).id()
            + (" (line " + covering.get(0).place().line() + ") ")
            + "matches all of its requests; put the narrower one first";
  }

  private static void inspectOwnLimit(
      Subject subject, List<Variant> covering, Consumer<Problem> report) {
    if (!covering.isEmpty()) {
      report.accept(
          Problem.warning(
              subject.rule().place(),
              "the limit of "
                  + (subject.title() + " itself is never used: its override ")
                  + covering.get(0).id()
                  + " matches all of its requests; narrow the override, or remove it"));
    }
  }
}
