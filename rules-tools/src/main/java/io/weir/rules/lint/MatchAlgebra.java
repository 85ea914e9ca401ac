package io.weir.rules.lint;

import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import java.util.List;

/**
 * Compares matches without requests. <i>True</i> is always certain; <i>false</i> may mean unknown.
 */
final class MatchAlgebra {
  private MatchAlgebra() {}

  /** Whether {@code wide} holds for every request for which all of {@code narrow} hold. */
  static boolean covers(Match wide, Match... narrow) {
    for (Condition condition : wide.conditions()) {
      if (!isTrivial(condition) && !isImplied(condition, narrow)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isImplied(Condition wide, Match... narrow) {
    for (Match match : narrow) {
      for (Condition condition : match.conditions()) {
        if (condition.attribute().equals(wide.attribute()) && covers(wide, condition)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether no request can satisfy both. */
  static boolean areDisjoint(Match one, Match other) {
    return one.conditions().stream()
        .anyMatch(
            mine ->
                other.conditions().stream()
                    .anyMatch(
                        theirs ->
                            mine.attribute().equals(theirs.attribute())
                                && areDisjoint(mine, theirs)));
  }

  /** Whether a condition holds for every request. */
  static boolean isTrivial(Condition condition) {
    List<ValueMatcher> valueMatchers = condition.anyOf();
    return valueMatchers.stream().anyMatch(ValueMatcher.Absent.class::isInstance)
        && valueMatchers.stream()
            .anyMatch(valueMatcher -> covers(valueMatcher, new ValueMatcher.Present()));
  }

  /** Whether {@code wide} holds whenever {@code narrow}, on the same attribute, does. */
  static boolean covers(Condition wide, Condition narrow) {
    return isTrivial(wide)
        || narrow.anyOf().stream()
            .allMatch(
                valueMatcher -> wide.anyOf().stream().anyMatch(each -> covers(each, valueMatcher)));
  }

  /** Whether no value satisfies both conditions, which are on the same attribute. */
  static boolean areDisjoint(Condition one, Condition other) {
    return one.anyOf().stream()
        .allMatch(
            valueMatcher ->
                other.anyOf().stream().allMatch(each -> areDisjoint(each, valueMatcher)));
  }

  private static boolean covers(ValueMatcher wide, ValueMatcher narrow) {
    if (wide.equals(narrow)) {
      return true;
    }
    if (wide instanceof ValueMatcher.Absent || narrow instanceof ValueMatcher.Absent) {
      return false;
    }
    if (wide instanceof ValueMatcher.Present) {
      return true;
    }
    if (wide instanceof ValueMatcher.StartsWith starts) {
      return starts.prefix().isEmpty()
          || (narrow instanceof ValueMatcher.Is is && is.value().startsWith(starts.prefix()))
          || (narrow instanceof ValueMatcher.StartsWith longer
              && longer.prefix().startsWith(starts.prefix()));
    }
    if (wide instanceof ValueMatcher.OnPath on) {
      return (narrow instanceof ValueMatcher.Is is && on.pattern().matches(is.value()))
          || (narrow instanceof ValueMatcher.OnPath narrower
              && PathShape.of(on.pattern()).covers(PathShape.of(narrower.pattern())));
    }
    return wide instanceof ValueMatcher.InNetwork in
        && narrow instanceof ValueMatcher.InNetwork within
        && NetworkComparison.covers(in.network(), within.network());
  }

  private static boolean areDisjoint(ValueMatcher one, ValueMatcher other) {
    if (one instanceof ValueMatcher.Absent || other instanceof ValueMatcher.Absent) {
      return !one.equals(other);
    }
    return excludes(one, other) || excludes(other, one);
  }

  private static boolean excludes(ValueMatcher one, ValueMatcher other) {
    if (one instanceof ValueMatcher.Is is) {
      return (other instanceof ValueMatcher.Is that && !is.equals(that))
          || (other instanceof ValueMatcher.StartsWith starts
              && !is.value().startsWith(starts.prefix()))
          || (other instanceof ValueMatcher.OnPath on && !on.pattern().matches(is.value()));
    }
    if (one instanceof ValueMatcher.StartsWith mine) {
      return other instanceof ValueMatcher.StartsWith theirs
          && !mine.prefix().startsWith(theirs.prefix())
          && !theirs.prefix().startsWith(mine.prefix());
    }
    if (one instanceof ValueMatcher.OnPath mine) {
      return other instanceof ValueMatcher.OnPath theirs
          && PathShape.of(mine.pattern()).isDisjointFrom(PathShape.of(theirs.pattern()));
    }
    return one instanceof ValueMatcher.InNetwork mine
        && other instanceof ValueMatcher.InNetwork theirs
        && NetworkComparison.areDisjoint(mine.network(), theirs.network());
  }
}
