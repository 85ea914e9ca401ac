package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/** A condition, compiled for a single test. */
sealed interface CompiledCondition {
  /** Whether it holds. */
  boolean holds(AttributeValues attributeValues);

  /** A condition with few tests, which run in turn. */
  record Few(int place, ValueMatcher[] valueMatchers) implements CompiledCondition {
    @Override
    public boolean holds(AttributeValues attributeValues) {
      String value = attributeValues.value(place);
      for (ValueMatcher valueMatcher : valueMatchers) {
        if (holds(valueMatcher, value, attributeValues)) {
          return true;
        }
      }
      return false;
    }

    private static boolean holds(
        ValueMatcher valueMatcher, @Nullable String value, AttributeValues attributeValues) {
      if (value == null) {
        return valueMatcher instanceof ValueMatcher.Absent;
      }
      if (valueMatcher instanceof ValueMatcher.Is is) {
        return value.equals(is.value());
      }
      if (valueMatcher instanceof ValueMatcher.OnPath on) {
        return on.pattern().matches(value);
      }
      if (valueMatcher instanceof ValueMatcher.InNetwork in) {
        Address address = attributeValues.address();
        return address != null && in.network().contains(address);
      }
      if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
        return value.startsWith(starts.prefix());
      }
      return valueMatcher instanceof ValueMatcher.Present;
    }
  }

  /** A condition with many tests, which use a lookup. */
  record Many(Branch tests) implements CompiledCondition {
    @Override
    public boolean holds(AttributeValues attributeValues) {
      return tests.seek(attributeValues, Group.NONE, null) != Group.NONE;
    }
  }
}
