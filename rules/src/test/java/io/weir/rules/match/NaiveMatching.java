package io.weir.rules.match;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link MatchIndex} must find: every match is asked, condition by condition. */
final class NaiveMatching {
  private NaiveMatching() {}

  static boolean holds(Match match, RequestModel request) {
    return match.conditions().stream()
        .allMatch(condition -> holds(condition.anyOf(), condition.attribute(), request));
  }

  private static boolean holds(List<Test> anyOf, String attribute, RequestModel request) {
    String value = request.values().get(attribute);
    return anyOf.stream().anyMatch(test -> holds(test, value, request.address()));
  }

  private static boolean holds(Test test, @Nullable String value, @Nullable Address address) {
    if (test instanceof Test.Absent) {
      return value == null;
    }
    if (value == null) {
      return false;
    }
    if (test instanceof Test.Is is) {
      return value.equals(is.value());
    }
    if (test instanceof Test.StartsWith starts) {
      return value.startsWith(starts.prefix());
    }
    if (test instanceof Test.OnPath path) {
      return path.pattern().matches(value);
    }
    if (test instanceof Test.InNetwork in) {
      return address != null && in.network().contains(address);
    }
    return true;
  }
}
