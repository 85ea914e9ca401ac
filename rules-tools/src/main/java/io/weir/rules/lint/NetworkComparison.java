package io.weir.rules.lint;

import io.weir.rules.match.Address;
import io.weir.rules.match.Network;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Compares networks: of any two, one contains the other, or they are disjoint. */
final class NetworkComparison {
  private NetworkComparison() {}

  static boolean covers(Network wide, Network narrow) {
    Address address = address(narrow);
    return address != null && wide.contains(address) && length(wide) <= length(narrow);
  }

  static boolean areDisjoint(Network one, Network other) {
    Address mine = address(one);
    Address theirs = address(other);
    return mine != null && theirs != null && !one.contains(theirs) && !other.contains(mine);
  }

  /** Visits the networks that contain {@code network}, except itself. */
  static void wider(Network network, Consumer<Network> look) {
    for (Network each = network.parent(); each != null; each = each.parent()) {
      look.accept(each);
    }
  }

  private static @Nullable Address address(Network network) {
    String text = network.toString();
    int slash = text.indexOf('/');
    return Address.parse(slash < 0 ? text : text.substring(0, slash));
  }

  /** The prefix length; a single address has all bits. */
  private static int length(Network network) {
    String text = network.toString();
    int slash = text.indexOf('/');
    return slash < 0 ? Integer.MAX_VALUE : Integer.parseInt(text.substring(slash + 1));
  }
}
