package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Problem;
import io.weir.rules.match.Condition;
import io.weir.rules.match.ValueMatcher;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds rules per attribute that a request may lack: a request without it is not limited by the
 * rule.
 */
final class MissingKeys implements LintCheck.OfOneRule {
  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    if (inspectedRule.reach() == null) {
      return; // NeverApplies reports this rule
    }
    for (String name : missing(inspectedRule)) {
      report.accept(
          Problem.warning(
              inspectedRule.rule().sourceLocation(),
              inspectedRule.title()
                  + " does not cover requests without '"
                  + name
                  + "': "
                  + fix(inspectedRule, name)));
    }
  }

  /**
   * The attributes in {@code per} that a request may lack and that the rule's match does not
   * require.
   */
  static List<String> missing(InspectedRule inspectedRule) {
    List<String> names = new ArrayList<>();
    for (String name : inspectedRule.rule().per()) {
      if (inspectedRule.mayBeMissing(name)
          && !inspectedRule.domainAttributes().isKey(name)
          && !isRequired(inspectedRule, name)) {
        names.add(name);
      }
    }
    return names;
  }

  private static boolean isRequired(InspectedRule inspectedRule, String name) {
    return inspectedRule.rule().match().conditions().stream()
        .anyMatch(condition -> condition.attribute().equals(name) && !allowsAbsence(condition));
  }

  private static boolean allowsAbsence(Condition condition) {
    return condition.anyOf().stream().anyMatch(ValueMatcher.Absent.class::isInstance);
  }

  private static String fix(InspectedRule inspectedRule, String name) {
    String meant = "; if that is meant, say so by match: { " + name + ": \"*\" }";
    if (inspectedRule.isSegment(name)) {
      return "not all paths of the rule have {" + name + "}; give it to each of them";
    }
    @Nullable AttributeSource source = inspectedRule.domainAttributes().source(name);
    if (source instanceof AttributeSource.FirstOf first) {
      return "add an attribute to '"
          + (name + "' that every request has (first_of: [")
          + (String.join(", ", first.attributes()) + ", ip])" + meant);
    }
    if (source instanceof AttributeSource.Lookup) {
      return "give '" + name + "' a default" + meant;
    }
    return source == null
        ? UndeclaredAttributes.consequence(name)
            + DidYouMean.of(name, inspectedRule.domainAttributes().names())
        : "be per an attribute that every request has (client: { first_of: ["
            + name
            + ", ip] })"
            + meant;
  }
}
