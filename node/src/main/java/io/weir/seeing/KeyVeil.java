package io.weir.seeing;

import io.weir.arbiter.Veil;
import io.weir.rules.match.Address;
import java.util.List;

/**
 * Which values of a rule's keys may be shown as they are: addresses and what no credential can be.
 *
 * @param open for each value, in their order; what is not there is masked
 */
record KeyVeil(List<Veil.Openness> open) {
  /** Nothing may be shown. */
  static final KeyVeil CLOSED = new KeyVeil(List.of());

  /** Copies the list. */
  KeyVeil {
    open = List.copyOf(open);
  }

  /** Of several rules that share a name, what may be shown of all of them. */
  static KeyVeil of(List<List<Veil.Openness>> rules) {
    return rules.stream().distinct().count() == 1 ? new KeyVeil(rules.get(0)) : CLOSED;
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

  /** Whether it is an address, or what a client with one is known by, and nothing besides. */
  private static boolean isAddress(String value) {
    int slash = value.indexOf('/');
    Address address = Address.parse(slash < 0 ? value : value.substring(0, slash));
    return address != null && (address.client().equals(value) || address.toString().equals(value));
  }
}
