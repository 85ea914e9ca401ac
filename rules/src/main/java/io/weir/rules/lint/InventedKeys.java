package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.AttributeSource.Field;
import io.weir.rules.Rule;
import io.weir.rules.file.Problem;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Test;
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
final class InventedKeys implements Check {
  private static final int MOST_STEPS = 16;

  @Override
  public void inspect(Survey survey, Consumer<Problem> report) {
    for (Survey.Territory territory : survey.territories()) {
      if (!territory.hasDescriptors()) { // otherwise its rules may be intended for descriptors
        inspect(territory, report);
      }
    }
  }

  private static void inspect(Survey.Territory territory, Consumer<Problem> report) {
    CoverIndex<Subject> proven = new CoverIndex<>();
    Map<String, List<Subject>> inventing = new LinkedHashMap<>();
    for (Subject subject : territory.subjects()) {
      if (isProven(subject)) {
        proven.add(subject.rule().match(), subject);
      }
    }
    for (Subject subject : territory.subjects()) {
      String invented = invented(subject);
      Match reach = subject.reach();
      if (invented != null && reach != null && !isCovered(subject.abroad(reach), proven)) {
        inventing.computeIfAbsent(invented, unknown -> new ArrayList<>(1)).add(subject);
      }
    }
    inventing.forEach((key, subjects) -> report.accept(warning(key, subjects)));
  }

  private static boolean limits(Subject subject) {
    return subject.isEnforced() && !subject.meterages().isEmpty();
  }

  /** Whether it limits each client, however many keys the client invents. */
  private static boolean isProven(Subject subject) {
    boolean hasIdentity = false;
    for (String name : subject.rule().per()) {
      if (!subject.isSegment(name)) {
        if (isChosen(subject, name)) {
          return false;
        }
        hasIdentity |= name.equals("ip") || !isKnown(subject, name);
      }
    }
    return hasIdentity && limits(subject);
  }

  private static boolean isKnown(Subject subject, String name) {
    return subject.vocabulary().source(name) != null
        || List.of("method", "path", "host").contains(name);
  }

  private static boolean isCovered(Match reach, CoverIndex<Subject> proven) {
    return !proven
        .covering(
            each ->
                each.rule().exempt().stream()
                    .allMatch(exempt -> MatchAlgebra.areDisjoint(each.abroad(exempt), reach)),
            reach)
        .isEmpty();
  }

  /** An attribute in {@code per} that a client can invent; null if there is none. */
  private static @Nullable String invented(Subject subject) {
    if (limits(subject)) {
      for (String name : subject.rule().per()) {
        if (!subject.isSegment(name) && isChosen(subject, name) && !isBounded(subject, name)) {
          return name;
        }
      }
    }
    return null;
  }

  private static boolean isChosen(Subject subject, String name) {
    return chosen(subject, name, MOST_STEPS) != null;
  }

  /** The request field that {@code name} may come from; null if there is none. */
  private static @Nullable Field chosen(Subject subject, String name, int steps) {
    AttributeSource source = subject.vocabulary().source(name);
    if (source instanceof Field field) {
      return field;
    }
    if (source instanceof AttributeSource.FirstOf first && steps > 0) {
      for (String each : first.attributes()) {
        Field field = chosen(subject, each, steps - 1);
        if (field != null) {
          return field;
        }
      }
    }
    return null; // a lookup has no more values than its table
  }

  /** Whether the rule restricts {@code name} to listed values, or to those of a table. */
  private static boolean isBounded(Subject subject, String name) {
    for (Condition condition : subject.rule().match().conditions()) {
      String asked = condition.attribute();
      boolean isNamed = condition.anyOf().stream().allMatch(Test.Is.class::isInstance);
      if (isNamed && asked.equals(name)) {
        return true;
      }
      if (subject.vocabulary().source(asked) instanceof AttributeSource.Lookup lookup
          && !NeverApplies.holdsForDefault(condition, lookup)) {
        return true;
      }
    }
    return false;
  }

  private static Problem warning(String key, List<Subject> subjects) {
    Subject first = subjects.get(0);
    Rule rule = first.rule();
    Field field = chosen(first, key, MOST_STEPS);
    String what =
        field == null
            ? ""
            : switch (field.kind()) {
              case HEADER -> " (header " + field.name() + ")";
              case COOKIE -> " (cookie " + field.name() + ")";
              case QUERY -> " (query parameter " + field.name() + ")";
            };
    int more = subjects.size() - 1;
    String others =
        more == 0 ? "" : more == 1 ? " and one other rule" : " and " + more + " other rules";
    return Problem.warning(
        rule.place(),
        (first.title() + others + (more == 0 ? " gives" : " give"))
            + (" each value of '" + key + "' a bucket, and a client can invent values")
            + (what + "; add a rule 'per: ip' that covers the same requests, with a limit that is")
            + " high enough for one address");
  }
}
