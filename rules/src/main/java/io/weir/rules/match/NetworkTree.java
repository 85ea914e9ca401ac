package io.weir.rules.match;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds all networks that contain an address: a binary search and one step per result.
 *
 * <p>Two networks are nested or disjoint. They are ordered by first address, the larger before the
 * smaller. The last one that begins at or before an address either contains it, or is inside any
 * network that does. So each network links to the one around it.
 */
final class NetworkTree {
  private final Range[] ipv4;
  private final Range[] ipv6;

  /** A network, the smallest one around it, and its groups. */
  private record Range(Network network, @Nullable Range around, Groups groups) {
    boolean startsAfter(Address address) {
      Address first = network.first();
      int high = Long.compareUnsigned(first.high(), address.high());
      return high > 0 || (high == 0 && Long.compareUnsigned(first.low(), address.low()) > 0);
    }
  }

  NetworkTree(Map<Network, Groups> groups) {
    List<Network> networks = new ArrayList<>(groups.keySet());
    networks.sort(
        Comparator.comparing(Network::first, Address.BY_BITS).thenComparing(Network::length));
    this.ipv4 = ranges(networks.stream().filter(Network::isIpv4).toList(), groups);
    this.ipv6 = ranges(networks.stream().filter(each -> !each.isIpv4()).toList(), groups);
  }

  private static Range[] ranges(List<Network> sorted, Map<Network, Groups> groups) {
    Range[] ranges = new Range[sorted.size()];
    Deque<Range> around = new ArrayDeque<>();
    for (int i = 0; i < ranges.length; i++) {
      Network network = sorted.get(i);
      while (!around.isEmpty() && !around.getLast().network().contains(network.first())) {
        around.removeLast();
      }
      ranges[i] = new Range(network, around.peekLast(), groups.getOrDefault(network, new Groups()));
      around.addLast(ranges[i]);
    }
    return ranges;
  }

  /** See {@link Group#seek}. */
  int seek(AttributeValues attributeValues, int limit, @Nullable FoundEntries all) {
    Address address = attributeValues.address();
    if (address == null) {
      return limit;
    }
    Range range = last(address.isIpv4() ? ipv4 : ipv6, address);
    while (range != null && !range.network().contains(address)) {
      range = range.around();
    }
    int wanted = limit;
    for (; range != null; range = range.around()) {
      wanted = range.groups().seek(attributeValues, wanted, all);
    }
    return wanted;
  }

  /** The last range that begins at or before {@code address}. */
  private static @Nullable Range last(Range[] ranges, Address address) {
    int from = 0;
    int to = ranges.length;
    while (from < to) {
      int middle = from + to >>> 1;
      if (ranges[middle].startsAfter(address)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from == 0 ? null : ranges[from - 1];
  }
}
