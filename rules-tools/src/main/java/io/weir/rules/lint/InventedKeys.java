package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.AttributeSource.Field;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds rules per attribute that clients can invent, such as an API key, without a rule per {@code
 * ip} beside it. A client that invents a key for each request gets a full bucket each time.
 *
 * <p>Keys cannot be invented if the rule lists their values, or looks them up in a table. An
 * attribute without a declared source comes from the application, which verifies it. Several rules
 * per the same attribute share one warning.
 */
final class InventedKeys implements LintCheck {
  private static final int MAX_STEPS = 16;

  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    for (LintContext.InspectedDomain inspectedDomain : lintContext.territories()) {
      if (!inspectedDomain
          .hasDescriptors()) { // otherwise its rules may be intended for descriptors
        inspect(inspectedDomain, report);
      }
    }
  }

  private static void inspect(
      LintContext.InspectedDomain inspectedDomain, Consumer<Problem> report) {
    CoverIndex<InspectedRule> proven = new CoverIndex<>();
    Map<String, List<InspectedRule>> inventing = new LinkedHashMap<>();
    for (InspectedRule inspectedRule : inspectedDomain.inspectedRules()) {
      if (isProven(inspectedRule)) {
        proven.add(inspectedRule.rule().match(), inspectedRule);
      }
    }
    for (InspectedRule inspectedRule : inspectedDomain.inspectedRules()) {
      String invented = invented(inspectedRule);
      Match reach = inspectedRule.reach();
      if (invented != null && reach != null && !isCovered(inspectedRule.abroad(reach), proven)) {
        inventing.computeIfAbsent(invented, unknown -> new ArrayList<>(1)).add(inspectedRule);
      }
    }
    inventing.forEach((key, inspectedRules) -> report.accept(warning(key, inspectedRules)));
  }

  private static boolean limits(InspectedRule inspectedRule) {
    return inspectedRule.isEnforced() && !inspectedRule.meterages().isEmpty();
  }

  /** Whether it limits each client, however many keys the client invents. */
  private static boolean isProven(InspectedRule inspectedRule) {
    boolean hasIdentity = false;
    for (String name : inspectedRule.rule().per()) {
      if (!inspectedRule.isSegment(name)) {
        if (isChosen(inspectedRule, name)) {
          return false;
        }
        hasIdentity |= name.equals("ip") || !isKnown(inspectedRule, name);
      }
    }
    return hasIdentity && limits(inspectedRule);
  }

  private static boolean isKnown(InspectedRule inspectedRule, String name) {
    return inspectedRule.domainAttributes().source(name) != null
        || List.of("method", "path", "host").contains(name);
  }

  private static boolean isCovered(Match reach, CoverIndex<InspectedRule> proven) {
    return !proven
        .covering(
            each ->
                each.rule().exempt().stream()
                    .allMatch(exempt -> MatchAlgebra.areDisjoint(each.abroad(exempt), reach)),
            reach)
        .isEmpty();
  }

  /** An attribute in {@code per} that a client can invent; null if there is none. */
  private static @Nullable String invented(InspectedRule inspectedRule) {
    if (limits(inspectedRule)) {
      for (String name : inspectedRule.rule().per()) {
        if (!inspectedRule.isSegment(name)
            && isChosen(inspectedRule, name)
            && !isBounded(inspectedRule, name)) {
          return name;
        }
      }
    }
    return null;
  }

  private static boolean isChosen(InspectedRule inspectedRule, String name) {
    return chosen(inspectedRule, name, MAX_STEPS) != null;
  }

  /** The request field that {@code name} may come from; null if there is none. */
  private static @Nullable Field chosen(InspectedRule inspectedRule, String name, int steps) {
    AttributeSource source = inspectedRule.domainAttributes().source(name);
    if (source instanceof Field field) {
      return field;
    }
    if (source instanceof AttributeSource.FirstOf first && steps > 0) {
      for (String each : first.attributes()) {
        Field field = chosen(inspectedRule, each, steps - 1);
        if (field != null) {
          return field;
        }
      }
    }
    return null; // a lookup has no more values than its table
  }

  /** Whether the rule restricts {@code name} to listed values, or to those of a table. */
  private static boolean isBounded(InspectedRule inspectedRule, String name) {
    for (Condition condition : inspectedRule.rule().match().conditions()) {
      String attribute = condition.attribute();
      boolean isNamed = condition.anyOf().stream().allMatch(ValueMatcher.Is.class::isInstance);
      if (isNamed && attribute.equals(name)) {
        return true;
      }
      if (inspectedRule.domainAttributes().source(attribute)
              instanceof AttributeSource.Lookup lookup
          && !NeverApplies.holdsForDefault(condition, lookup)) {
        return true;
      }
    }
    return false;
  }

  private static Problem warning(String key, List<InspectedRule> inspectedRules) {
    InspectedRule first = inspectedRules.get(0);
    Rule rule = first.rule();
    Field field = chosen(first, key, MAX_STEPS);
    String what =
        field == null
            ? ""
            : switch (field.kind()) {
              case HEADER -> " (header " + field.name() + ")";
              case COOKIE -> " (cookie " + field.name() + ")";
              case QUERY -> " (query parameter " + field.name() + ")";
            };
    int more = inspectedRules.size() - 1;
    String others =
        more == 0 ? "" : more == 1 ? " and one other rule" : " and " + more + " other rules";
    return Problem.warning(
        rule.sourceLocation(),
        (first.title() + others + (more == 0 ? " gives" : " give"))
            + (" each value of '" + key + "' a bucket, and a client can invent values")
            + (what + "; add a rule 'per: ip' that covers the same requests, with a limit that is")
            + " high enough for one address");
  }
}
