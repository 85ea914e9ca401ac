package io.weir.rules.match;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The requests that a rule, an override or an exemption is for: those for which all conditions
 * hold.
 *
 * @param conditions at most one for each attribute, by the attribute's name
 */
public record Match(List<Condition> conditions) {
  /** Every request. */
  public static final Match EVERYTHING = new Match(List.of());

  /** Puts the conditions in order. */
  public Match {
    conditions = conditions.stream().sorted(Comparator.comparing(Condition::attribute)).toList();
  }

  /** The requests for which all of {@code conditions} hold. */
  public static Match of(Condition... conditions) {
    return new Match(List.of(conditions));
  }

  /** The same for paths that are seen in lower case. */
  public Match withPathsInLowerCase() {
    return new Match(conditions.stream().map(Match::inLowerCase).toList());
  }

  private static Condition inLowerCase(Condition condition) {
    return new Condition(
        condition.attribute(), condition.anyOf().stream().map(Match::inLowerCase).toList());
  }

  private static Test inLowerCase(Test test) {
    return test instanceof Test.OnPath on ? new Test.OnPath(on.pattern().inLowerCase()) : test;
  }

  /** Written out, whatever the order it was written in: {@code {method: GET, tier: [a, b]}}. */
  @Override
  public String toString() {
    return conditions.stream().map(Condition::toString).collect(Collectors.joining(", ", "{", "}"));
  }
}
