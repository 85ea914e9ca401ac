package io.weir.rules.lint;

import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Test;
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
    List<Test> tests = condition.anyOf();
    return tests.stream().anyMatch(Test.Absent.class::isInstance)
        && tests.stream().anyMatch(test -> covers(test, new Test.Present()));
  }

  /** Whether {@code wide} holds whenever {@code narrow}, on the same attribute, does. */
  static boolean covers(Condition wide, Condition narrow) {
    return isTrivial(wide)
        || narrow.anyOf().stream()
            .allMatch(test -> wide.anyOf().stream().anyMatch(each -> covers(each, test)));
  }

  /** Whether no value satisfies both conditions, which are on the same attribute. */
  static boolean areDisjoint(Condition one, Condition other) {
    return one.anyOf().stream()
        .allMatch(test -> other.anyOf().stream().allMatch(each -> areDisjoint(each, test)));
  }

  private static boolean covers(Test wide, Test narrow) {
    if (wide.equals(narrow)) {
      return true;
    }
    if (wide instanceof Test.Absent || narrow instanceof Test.Absent) {
      return false;
    }
    if (wide instanceof Test.Present) {
      return true;
    }
    if (wide instanceof Test.StartsWith starts) {
      return starts.prefix().isEmpty()
          || (narrow instanceof Test.Is is && is.value().startsWith(starts.prefix()))
          || (narrow instanceof Test.StartsWith longer
              && longer.prefix().startsWith(starts.prefix()));
    }
    if (wide instanceof Test.OnPath on) {
      return (narrow instanceof Test.Is is && on.pattern().matches(is.value()))
          || (narrow instanceof Test.OnPath narrower
              && Shape.of(on.pattern()).covers(Shape.of(narrower.pattern())));
    }
    return wide instanceof Test.InNetwork in
        && narrow instanceof Test.InNetwork within
        && Networks.covers(in.network(), within.network());
  }

  private static boolean areDisjoint(Test one, Test other) {
    if (one instanceof Test.Absent || other instanceof Test.Absent) {
      return !one.equals(other);
    }
    return excludes(one, other) || excludes(other, one);
  }

  private static boolean excludes(Test one, Test other) {
    if (one instanceof Test.Is is) {
      return (other instanceof Test.Is that && !is.equals(that))
          || (other instanceof Test.StartsWith starts && !is.value().startsWith(starts.prefix()))
          || (other instanceof Test.OnPath on && !on.pattern().matches(is.value()));
    }
    if (one instanceof Test.StartsWith mine) {
      return other instanceof Test.StartsWith theirs
          && !mine.prefix().startsWith(theirs.prefix())
          && !theirs.prefix().startsWith(mine.prefix());
    }
    if (one instanceof Test.OnPath mine) {
      return other instanceof Test.OnPath theirs
          && Shape.of(mine.pattern()).isDisjointFrom(Shape.of(theirs.pattern()));
    }
    return one instanceof Test.InNetwork mine
        && other instanceof Test.InNetwork theirs
        && Networks.areDisjoint(mine.network(), theirs.network());
  }
}
