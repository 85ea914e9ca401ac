package io.weir.rules.match;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link MatchIndex} must find: every match is tested, condition by condition. */
final class NaiveMatching {
  private NaiveMatching() {}

  static boolean holds(Match match, RequestModel request) {
    return match.conditions().stream()
        .allMatch(condition -> holds(condition.anyOf(), condition.attribute(), request));
  }

  private static boolean holds(List<ValueMatcher> anyOf, String attribute, RequestModel request) {
    String value = request.values().get(attribute);
    return anyOf.stream().anyMatch(valueMatcher -> holds(valueMatcher, value, request.address()));
  }

  private static boolean holds(
      ValueMatcher valueMatcher, @Nullable String value, @Nullable Address address) {
    if (valueMatcher instanceof ValueMatcher.Absent) {
      return value == null;
    }
    if (value == null) {
      return false;
    }
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return value.equals(is.value());
    }
    if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
      return value.startsWith(starts.prefix());
    }
    if (valueMatcher instanceof ValueMatcher.OnPath path) {
      return path.pattern().matches(value);
    }
    if (valueMatcher instanceof ValueMatcher.InNetwork in) {
      return address != null && in.network().contains(address);
    }
    return true;
  }
}
