package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Problem;
import io.weir.rules.RuleOverride;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import io.weir.text.DidYouMean;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds values in a match that no request can have: {@code method: HEAD}. */
final class ImpossibleValues implements LintCheck.OfOneRule {
  private static final int MAX_NAMED = 5;

  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    SourceLocation sourceLocation = inspectedRule.rule().sourceLocation();
    inspect(
        inspectedRule,
        inspectedRule.title(),
        "the rule never applies",
        inspectedRule.rule().match(),
        sourceLocation,
        report);
    for (Match exempt : inspectedRule.rule().exempt()) {
      inspect(
          inspectedRule,
          "'exempt' of " + inspectedRule.title(),
          "it exempts nothing",
          exempt,
          sourceLocation,
          report);
    }
    for (RuleOverride ruleOverride : inspectedRule.rule().ruleOverrides()) {
      inspect(
          inspectedRule,
          inspectedRule.title(ruleOverride),
          "the override is never used",
          ruleOverride.match(),
          ruleOverride.sourceLocation(),
          report);
    }
  }

  private static void inspect(
      InspectedRule inspectedRule,
      String owner,
      String consequence,
      Match match,
      SourceLocation sourceLocation,
      Consumer<Problem> report) {
    for (Condition condition : match.conditions()) {
      for (ValueMatcher valueMatcher : condition.anyOf()) {
        String why = why(inspectedRule, condition.attribute(), valueMatcher);
        if (why != null && !isHarmless(condition, valueMatcher)) {
          boolean isAll = !inspectedRule.isPossible(condition);
          report.accept(
              Problem.warning(
                  sourceLocation,
                  (owner + ": '" + condition.attribute() + ": " + valueMatcher + "' never matches")
                      + (isAll ? ", so " + consequence : "")
                      + (": " + why)));
        }
      }
    }
  }

  /** HEAD beside GET has no effect, but the rule does what was intended. */
  private static boolean isHarmless(Condition condition, ValueMatcher valueMatcher) {
    return condition.attribute().equals("method")
        && valueMatcher.equals(new ValueMatcher.Is("HEAD"))
        && condition.anyOf().contains(new ValueMatcher.Is("GET"));
  }

  /**
   * Why {@code valueMatcher} can never hold for {@code name}, and what to do; null if it may hold.
   */
  static @Nullable String why(InspectedRule inspectedRule, String name, ValueMatcher valueMatcher) {
    if (valueMatcher instanceof ValueMatcher.Is is && !inspectedRule.isSegment(name)) {
      if (is.value().isEmpty()) {
        return "an empty value counts as absent; write ~";
      }
      if (inspectedRule.domainAttributes().isGiven(name)
          && !inspectedRule.domainAttributes().isKey(name)) {
        String spelled = spelled(name, is.value());
        if (!spelled.equals(is.value())) {
          return is.value().equals("HEAD")
              ? "HEAD counts as GET; write GET"
              : respell(name, spelled);
        }
      }
    }
    return inspectedRule.canBe(name, valueMatcher)
        ? null
        : whyNot(inspectedRule, name, valueMatcher);
  }

  private static String respell(String name, String spelled) {
    return (name.equals("method")
            ? "methods are compared in capitals"
            : "hosts are compared in small letters and without port")
        + ("; write " + spelled);
  }

  /** The spelling of a value in an attribute that front ends set. */
  private static String spelled(String name, String value) {
    if (name.equals("method")) {
      String method = value.toUpperCase(Locale.ROOT);
      return method.equals("HEAD") ? "GET" : method;
    }
    return name.equals("host")
        ? value.toLowerCase(Locale.ROOT).replaceFirst(":[0-9]*$", "").replaceFirst("(.)\\.$", "$1")
        : value;
  }

  private static String whyNot(
      InspectedRule inspectedRule, String name, ValueMatcher valueMatcher) {
    if (inspectedRule.isSegment(name)) {
      return "it is a segment of the rule's path and always there";
    }
    AttributeSource source = inspectedRule.domainAttributes().source(name);
    if (!(source instanceof AttributeSource.Lookup lookup)) {
      return "none of the attributes that '" + name + "' is the first of can be that";
    }
    if (valueMatcher instanceof ValueMatcher.Absent) {
      return "without an entry in its table it is '" + lookup.otherwise().orElse("") + "'";
    }
    Collection<String> values = inspectedRule.domainAttributes().values(name, lookup);
    return "'"
        + name
        + "' is looked up and can only be "
        + listed(values)
        + guess(valueMatcher, values);
  }

  private static String guess(ValueMatcher valueMatcher, Collection<String> values) {
    return valueMatcher instanceof ValueMatcher.Is is && values.size() <= 1000
        ? DidYouMean.of(is.value(), values)
        : "";
  }

  private static String listed(Collection<String> values) {
    if (values.isEmpty()) {
      return "absent, since its table is empty";
    }
    return values.stream()
            .limit(MAX_NAMED)
            .map(each -> "'" + each + "'")
            .collect(Collectors.joining(", "))
        + (values.size() > MAX_NAMED ? " and " + (values.size() - MAX_NAMED) + " more" : "");
  }
}
