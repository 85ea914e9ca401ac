package io.weir;

import java.util.List;

/**
 * What one request asks of several limiters, on several keys: it is granted as a whole, or nothing
 * is taken.
 *
 * @param all what must be there
 * @param anyOf what is taken where it is there; if there are any, one of them must be
 */
public record Charges(List<Charge> all, List<Charge> anyOf) {
  /** Copies the lists; at least one must have something in it. */
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

  /** All of them in one row. */
  Charge get(int i) {
    return i < all.size() ? all.get(i) : anyOf.get(i - all.size());
  }

  /** Whether these are one charge that is to be taken, and nothing else. */
  boolean isOne() {
    return size() == 1 && !get(0).isLook();
  }

  /** Whether the request is granted if this is what each of the row says. */
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

  /** Whether a request to which each says this can never be granted, however long it waits. */
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
