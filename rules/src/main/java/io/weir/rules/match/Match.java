package io.weir.rules.match;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The requests that a rule, an override or an exemption applies to: those that satisfy all
 * conditions. Immutable.
 *
 * @param conditions at most one for each attribute, by the attribute's name
 */
public record Match(List<Condition> conditions) {
  /** Every request. */
  public static final Match EVERYTHING = new Match(List.of());

  /** Sorts the conditions. */
  public Match {
    conditions = conditions.stream().sorted(Comparator.comparing(Condition::attribute)).toList();
  }

  /** The requests that satisfy all of {@code conditions}. */
  public static Match of(Condition... conditions) {
    return new Match(List.of(conditions));
  }

  /** The same match for paths in lower case. */
  public Match withPathsInLowerCase() {
    return new Match(conditions.stream().map(Match::inLowerCase).toList());
  }

  private static Condition inLowerCase(Condition condition) {
    return new Condition(
        condition.attribute(), condition.anyOf().stream().map(Match::inLowerCase).toList());
  }

  private static ValueMatcher inLowerCase(ValueMatcher valueMatcher) {
    return valueMatcher instanceof ValueMatcher.OnPath on
        ? new ValueMatcher.OnPath(on.pattern().inLowerCase())
        : valueMatcher;
  }

  /** A normalised text form: {@code {method: GET, tier: [a, b]}}. */
  @Override
  public String toString() {
    return conditions.stream().map(Condition::toString).collect(Collectors.joining(", ", "{", "}"));
  }
}
