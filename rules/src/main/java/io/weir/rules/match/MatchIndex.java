package io.weir.rules.match;

import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds what fits a request among many matches.
 *
 * @param <T> what a match stands for
 */
public final class MatchIndex<T> {
  private final List<Entry<T>> entries;
  private final ToIntFunction<String> places;

  private MatchIndex(List<Entry<T>> entries, ToIntFunction<String> places) {
    this.entries = List.copyOf(entries);
    this.places = places;
  }

  /**
   * An index over {@code entries}, whose order is kept.
   *
   * @param places the place of each attribute in the facts
   */
  public static <T> MatchIndex<T> of(List<Entry<T>> entries, ToIntFunction<String> places) {
    return new MatchIndex<>(entries, places);
  }

  /** Adds all that fit to {@code found}, in order. */
  public void all(Facts facts, List<? super T> found) {
    for (Entry<T> entry : entries) {
      if (holds(entry.match(), facts)) {
        found.add(entry.value());
      }
    }
  }

  /** The first that fits, if any. */
  public @Nullable T first(Facts facts) {
    for (Entry<T> entry : entries) {
      if (holds(entry.match(), facts)) {
        return entry.value();
      }
    }
    return null;
  }

  /** Whether any fits. */
  public boolean any(Facts facts) {
    return first(facts) != null;
  }

  private boolean holds(Match match, Facts facts) {
    for (Condition condition : match.conditions()) {
      String value = facts.value(places.applyAsInt(condition.attribute()));
      if (condition.anyOf().stream().noneMatch(test -> holds(test, value, facts))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(Test test, @Nullable String value, Facts facts) {
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
      Address address = facts.address();
      return address != null && in.network().contains(address);
    }
    return true;
  }

  /** A match and what it stands for. */
  public record Entry<T>(Match match, T value) {}
}
