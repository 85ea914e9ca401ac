package io.weir.rules.match;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The groups for the values of one attribute. */
final class Branch {
  private final int place;
  private final int minOrder;
  private final Groups absent = new Groups();
  private final Groups present = new Groups();
  private final Map<String, Groups> exact = new HashMap<>();
  private @Nullable PrefixTree prefixes;
  private @Nullable PathTree paths;
  private final @Nullable NetworkTree networks;

  /**
   * Creates a branch.
   *
   * @param place the place of the attribute
   * @param groups each is reached by values that pass any test of its condition
   */
  Branch(int place, Map<Condition, Group> groups) {
    this.place = place;
    this.minOrder = groups.values().stream().mapToInt(Group::minOrder).min().orElse(Group.NONE);
    Map<Network, Groups> ranges = new LinkedHashMap<>();
    groups.forEach(
        (condition, group) -> {
          for (ValueMatcher valueMatcher : condition.anyOf()) {
            groupsOf(valueMatcher, ranges).add(group);
          }
        });
    this.networks = ranges.isEmpty() ? null : new NetworkTree(ranges);
  }

  private Groups groupsOf(ValueMatcher valueMatcher, Map<Network, Groups> ranges) {
    if (valueMatcher instanceof ValueMatcher.Is is) {
      return exact.computeIfAbsent(is.value(), value -> new Groups());
    }
    if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
      prefixes = prefixes == null ? new PrefixTree() : prefixes;
      return prefixes.at(starts.prefix());
    }
    if (valueMatcher instanceof ValueMatcher.OnPath on) {
      paths = paths == null ? new PathTree() : paths;
      return paths.at(on.pattern());
    }
    if (valueMatcher instanceof ValueMatcher.InNetwork in) {
      return ranges.computeIfAbsent(in.network(), network -> new Groups());
    }
    return valueMatcher instanceof ValueMatcher.Absent ? absent : present;
  }

  /** The lowest order of an entry in any group. */
  int minOrder() {
    return minOrder;
  }

  /** See {@link Group#seek}. */
  int seek(AttributeValues attributeValues, int limit, @Nullable FoundEntries all) {
    String value = attributeValues.value(place);
    if (value == null) {
      return absent.seek(attributeValues, limit, all);
    }
    int wanted = present.seek(attributeValues, limit, all);
    Groups same = exact.isEmpty() ? null : exact.get(value);
    if (same != null) {
      wanted = same.seek(attributeValues, wanted, all);
    }
    if (prefixes != null) {
      wanted = prefixes.seek(value, attributeValues, wanted, all);
    }
    if (paths != null) {
      wanted = paths.seek(value, attributeValues, wanted, all);
    }
    if (networks != null) {
      wanted = networks.seek(attributeValues, wanted, all);
    }
    return wanted;
  }
}
