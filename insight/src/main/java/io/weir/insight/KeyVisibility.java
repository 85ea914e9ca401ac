package io.weir.insight;

import io.weir.decision.CredentialMasking;
import io.weir.rules.match.Address;
import java.util.List;

/**
 * Which values of a rule's keys may be shown as they are: addresses and values that cannot be
 * credentials.
 *
 * @param open for each value, in their order; a missing value is masked
 */
record KeyVisibility(List<CredentialMasking.Visibility> open) {
  /** Nothing may be shown. */
  static final KeyVisibility CLOSED = new KeyVisibility(List.of());

  /** Copies the list. */
  KeyVisibility {
    open = List.copyOf(open);
  }

  /** The values that all rules of a shared name allow to show. */
  static KeyVisibility of(List<List<CredentialMasking.Visibility>> rules) {
    return rules.stream().distinct().count() == 1 ? new KeyVisibility(rules.get(0)) : CLOSED;
  }

  /** Whether the value at {@code place} may be shown. */
  boolean shows(int place, String value) {
    if (place >= open.size()) {
      return false;
    }
    return switch (open.get(place)) {
      case OPEN -> true;
      case ADDRESS -> isAddress(value);
      case MASKED -> false;
    };
  }

  /**
   * Whether the value is exactly an address, or the network by which a client with that address is
   * known.
   */
  private static boolean isAddress(String value) {
    int slash = value.indexOf('/');
    Address address = Address.parse(slash < 0 ? value : value.substring(0, slash));
    return address != null && (address.client().equals(value) || address.toString().equals(value));
  }
}
