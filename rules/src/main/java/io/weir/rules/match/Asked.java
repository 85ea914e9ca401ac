package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/** A condition, compiled for a single test. */
sealed interface Asked {
  /** Whether it holds. */
  boolean holds(Facts facts);

  /** A condition with few tests, which run in turn. */
  record Few(int place, Test[] tests) implements Asked {
    @Override
    public boolean holds(Facts facts) {
      String value = facts.value(place);
      for (Test test : tests) {
        if (holds(test, value, facts)) {
          return true;
        }
      }
      return false;
    }

    private static boolean holds(Test test, @Nullable String value, Facts facts) {
      if (value == null) {
        return test instanceof Test.Absent;
      }
      if (test instanceof Test.Is is) {
        return value.equals(is.value());
      }
      if (test instanceof Test.OnPath on) {
        return on.pattern().matches(value);
      }
      if (test instanceof Test.InNetwork in) {
        Address address = facts.address();
        return address != null && in.network().contains(address);
      }
      if (test instanceof Test.StartsWith starts) {
        return value.startsWith(starts.prefix());
      }
      return test instanceof Test.Present;
    }
  }

  /** A condition with many tests, which use a lookup. */
  record Many(Branch tests) implements Asked {
    @Override
    public boolean holds(Facts facts) {
      return tests.seek(facts, Group.NONE, null) != Group.NONE;
    }
  }
}
