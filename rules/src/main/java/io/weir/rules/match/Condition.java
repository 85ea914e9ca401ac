package io.weir.rules.match;

import java.util.List;

/**
 * A rule's condition on one attribute: at least one of several tests must hold.
 *
 * @param attribute its name
 * @param anyOf at least one
 */
public record Condition(String attribute, List<ValueMatcher> anyOf) {
  /** Copies the list. */
  public Condition {
    anyOf = List.copyOf(anyOf);
    if (anyOf.isEmpty()) {
      throw new IllegalArgumentException("a condition on '" + attribute + "' without a test");
    }
  }

  /** A condition with one test. */
  public static Condition of(String attribute, ValueMatcher valueMatcher) {
    return new Condition(attribute, List.of(valueMatcher));
  }

  @Override
  public String toString() {
    return MatchText.out(attribute) + ": " + (anyOf.size() == 1 ? anyOf.get(0) : anyOf);
  }
}
