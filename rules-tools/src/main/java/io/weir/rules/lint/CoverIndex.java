package io.weir.rules.lint;

import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.ValueMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds matches that may cover another one without a comparison with all of them.
 *
 * <p>A match is stored under its rarest condition: {@code {tier: free, path: /a}} under <i>path is
 * /a</i>. Any match that it covers has a narrower test of the same attribute. So the match is found
 * under each wider test: the value {@code /a/b} looks under <i>is /a/b</i>, <i>starts with /</i>,
 * <i>present</i> and so on. Only the first few matches under each test are compared, which bounds
 * the time.
 *
 * @param <T> the value stored with a match
 */
final class CoverIndex<T> {
  private static final int MAX_UNDER_ONE = 20;
  private static final Thing ANYTHING = new Thing("", Kind.PRESENT, "");

  private final Map<Thing, List<Entry<T>>> entries = new HashMap<>();
  private int count;

  /** Adds a match. */
  void add(Match match, T value) {
    List<Thing> fewest = null;
    for (Condition condition : match.conditions()) {
      if (!MatchAlgebra.isTrivial(condition)) {
        List<Thing> things = things(condition);
        if (fewest == null || crowd(things) < crowd(fewest)) {
          fewest = things;
        }
      }
    }
    Entry<T> entry = new Entry<>(count++, match, value);
    for (Thing thing : fewest == null ? List.of(ANYTHING) : fewest) {
      List<Entry<T>> under = entries.computeIfAbsent(thing, unknown -> new ArrayList<>(1));
      if (under.size() < MAX_UNDER_ONE) {
        under.add(entry);
      }
    }
  }

  private int crowd(List<Thing> things) {
    int max = 0;
    for (Thing thing : things) {
      List<Entry<T>> under = entries.get(thing);
      max = Math.max(max, under == null ? 0 : under.size());
    }
    return max;
  }

  /** The values of all matches known to cover all of {@code narrow} together, oldest first. */
  List<T> covering(Match... narrow) {
    return covering(value -> true, narrow);
  }

  /** The same, restricted to {@code wanted} values. */
  List<T> covering(Predicate<T> wanted, Match... narrow) {
    Map<Integer, T> found = new TreeMap<>();
    Consumer<Thing> look =
        thing -> {
          List<Entry<T>> under = entries.get(thing);
          if (under != null) {
            for (Entry<T> entry : under) {
              if (!found.containsKey(entry.number())
                  && wanted.test(entry.value())
                  && MatchAlgebra.covers(entry.match(), narrow)) {
                found.put(entry.number(), entry.value());
              }
            }
          }
        };
    look.accept(ANYTHING);
    for (Match match : narrow) {
      for (Condition condition : match.conditions()) {
        wider(condition.attribute(), condition.anyOf().get(0), look);
      }
    }
    return List.copyOf(found.values());
  }

  private static List<Thing> things(Condition condition) {
    return condition.anyOf().stream()
        .map(valueMatcher -> thing(condition.attribute(), valueMatcher))
        .toList();
  }

  private static Thing thing(String attribute, ValueMatcher valueMatcher) {
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return new Thing(attribute, Kind.IS, is.value());
    }
    if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
      return new Thing(attribute, Kind.STARTS, starts.prefix());
    }
    if (valueMatcher instanceof ValueMatcher.OnPath on) {
      PathShape pathShape = PathShape.of(on.pattern());
      String beginning = String.join("/", pathShape.beginning());
      boolean isOne =
          !pathShape.isDeep() && pathShape.beginning().size() == pathShape.segments().size();
      return new Thing(attribute, isOne ? Kind.PATH : Kind.PATHS, beginning);
    }
    if (valueMatcher instanceof ValueMatcher.InNetwork in) {
      return new Thing(attribute, Kind.NETWORK, in.network());
    }
    return new Thing(
        attribute, valueMatcher instanceof ValueMatcher.Absent ? Kind.ABSENT : Kind.PRESENT, "");
  }

  /** Visits {@code valueMatcher} and all matchers that may be wider. */
  private static void wider(String attribute, ValueMatcher valueMatcher, Consumer<Thing> look) {
    look.accept(thing(attribute, valueMatcher));
    if (valueMatcher instanceof ValueMatcher.Absent) {
      return;
    }
    if (!(valueMatcher instanceof ValueMatcher.Present)) {
      look.accept(new Thing(attribute, Kind.PRESENT, ""));
    }
    if (valueMatcher instanceof ValueMatcher.OnPath on) {
      beginnings(attribute, PathShape.of(on.pattern()).beginning(), look);
    } else if (valueMatcher instanceof ValueMatcher.InNetwork in) {
      NetworkComparison.wider(
          in.network(), network -> look.accept(new Thing(attribute, Kind.NETWORK, network)));
    }
    String text = text(valueMatcher);
    if (text != null) {
      for (int i = 0; i <= text.length(); i++) {
        look.accept(new Thing(attribute, Kind.STARTS, text.substring(0, i)));
      }
      if (attribute.equals("path") && text.startsWith("/")) {
        List<String> segments = List.of(text.substring(1).split("/", -1));
        look.accept(new Thing(attribute, Kind.PATH, String.join("/", segments)));
        beginnings(attribute, segments, look);
      }
    }
  }

  private static @Nullable String text(ValueMatcher valueMatcher) {
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return is.value();
    }
    return valueMatcher instanceof ValueMatcher.StartsWith starts ? starts.prefix() : null;
  }

  private static void beginnings(String attribute, List<String> segments, Consumer<Thing> look) {
    for (int i = 0; i <= segments.size(); i++) {
      look.accept(new Thing(attribute, Kind.PATHS, String.join("/", segments.subList(0, i))));
    }
  }

  private enum Kind {
    IS,
    STARTS,
    PATH,
    PATHS,
    NETWORK,
    PRESENT,
    ABSENT
  }

  /** The key that a match is stored under. */
  private record Thing(String attribute, Kind kind, Object value) {}

  private record Entry<T>(int number, Match match, T value) {}
}
