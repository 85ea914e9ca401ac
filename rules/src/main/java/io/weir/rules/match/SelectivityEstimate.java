package io.weir.rules.match;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Statistics on the tests of one attribute in a group of entries: how many tests a value that
 * passes one test may also pass.
 *
 * <p>The estimate only decides where an entry is stored, never whether it matches. A path with
 * wildcards counts as the prefix before the first wildcard.
 */
final class SelectivityEstimate {
  private final Map<String, Integer> stems = new HashMap<>();
  private final List<Address> networks = new ArrayList<>();
  private @Nullable Prefixes prefixes;
  private Address @Nullable [] sortedNetworks;
  private int size;

  void add(Condition condition) {
    for (ValueMatcher valueMatcher : condition.anyOf()) {
      size++;
      if (valueMatcher instanceof ValueMatcher.InNetwork in) {
        networks.add(in.network().first());
      } else {
        stems.merge(stem(valueMatcher), 1, Integer::sum);
      }
    }
  }

  /** How many tests there are. */
  int size() {
    return size;
  }

  /** How many tests share values with those of {@code condition}. */
  long sharing(Condition condition) {
    long sum = 0;
    for (ValueMatcher valueMatcher : condition.anyOf()) {
      sum += sharing(valueMatcher);
    }
    return sum;
  }

  private int sharing(ValueMatcher valueMatcher) {
    if (valueMatcher instanceof ValueMatcher.InNetwork in) {
      return within(in.network());
    }
    String stem = stem(valueMatcher);
    return isExact(valueMatcher) ? stems.getOrDefault(stem, 0) : startingWith(stem);
  }

  /** The beginning of every value that passes. */
  private static String stem(ValueMatcher valueMatcher) {
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return is.value();
    }
    if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
      return starts.prefix();
    }
    return valueMatcher instanceof ValueMatcher.OnPath on ? on.pattern().stem() : "";
  }

  private static boolean isExact(ValueMatcher valueMatcher) {
    return valueMatcher instanceof ValueMatcher.Is
        || (valueMatcher instanceof ValueMatcher.OnPath on && on.pattern().isExact());
  }

  private int startingWith(String stem) {
    if (stem.isEmpty()) {
      return size;
    }
    if (prefixes == null) {
      prefixes = Prefixes.of(stems);
    }
    return prefixes.count(stem);
  }

  private int within(Network network) {
    if (sortedNetworks == null) {
      sortedNetworks = networks.toArray(Address[]::new);
      Arrays.sort(sortedNetworks, Address.BY_BITS);
    }
    return firstFrom(sortedNetworks, network.last(), true)
        - firstFrom(sortedNetworks, network.first(), false);
  }

  private static int firstFrom(Address[] sorted, Address bound, boolean after) {
    int from = 0;
    int to = sorted.length;
    while (from < to) {
      int middle = from + to >>> 1;
      int compared = Address.BY_BITS.compare(sorted[middle], bound);
      if (compared < 0 || (after && compared == 0)) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** Texts in order, and for each the number of tests on the texts before it. */
  private record Prefixes(String[] sorted, int[] before) {
    static Prefixes of(Map<String, Integer> counts) {
      String[] sorted = counts.keySet().toArray(String[]::new);
      Arrays.sort(sorted);
      int[] before = new int[sorted.length + 1];
      for (int i = 0; i < sorted.length; i++) {
        before[i + 1] = before[i] + counts.getOrDefault(sorted[i], 0);
      }
      return new Prefixes(sorted, before);
    }

    int count(String prefix) {
      return before[firstFrom(prefix + Character.MAX_VALUE)] - before[firstFrom(prefix)];
    }

    private int firstFrom(String text) {
      int found = Arrays.binarySearch(sorted, text);
      return found < 0 ? -found - 1 : found;
    }
  }
}
