package io.weir;

import java.util.List;

/**
 * The charges of one request on several limiters and keys: all are granted, or nothing is taken.
 *
 * @param all charges that must all be granted
 * @param anyOf charges taken where permits are available; if there are any, at least one must be
 *     granted
 */
public record Charges(List<Charge> all, List<Charge> anyOf) {
  /** Copies the lists; at least one must not be empty. */
  public Charges {
    all = List.copyOf(all);
    anyOf = List.copyOf(anyOf);
    if (all.isEmpty() && anyOf.isEmpty()) {
      throw new IllegalArgumentException("charges must not be empty");
    }
  }

  /** Charges that are all made, or none of them. */
  public static Charges of(List<Charge> all) {
    return new Charges(all, List.of());
  }

  int size() {
    return all.size() + anyOf.size();
  }

  /** The charge at place {@code i}, with {@code all} before {@code anyOf}. */
  Charge get(int i) {
    return i < all.size() ? all.get(i) : anyOf.get(i - all.size());
  }

  /** Whether this is exactly one charge, and one that takes permits. */
  boolean isOne() {
    return size() == 1 && !get(0).isLook();
  }

  /** Whether the request is granted, given the decision of each charge in order. */
  boolean areGranted(Decision[] decisions) {
    for (int i = 0; i < all.size(); i++) {
      if (!decisions[i].allowed()) {
        return false;
      }
    }
    for (int i = all.size(); i < decisions.length; i++) {
      if (decisions[i].allowed()) {
        return true;
      }
    }
    return anyOf.isEmpty();
  }

  /** Whether the request can never be granted, however long it waits, given these decisions. */
  boolean neverFit(Decision[] decisions) {
    for (int i = 0; i < all.size(); i++) {
      if (decisions[i].neverFits()) {
        return true;
      }
    }
    for (int i = all.size(); i < decisions.length; i++) {
      if (!decisions[i].neverFits()) {
        return false;
      }
    }
    return !anyOf.isEmpty();
  }
}
