package io.weir;

import java.util.List;

/**
 * What one request asks of several limiters, on several keys: it is granted as a whole, or nothing
 * is taken.
 *
 * @param all what must be there, and is taken
 * @param anyOf what is taken where it is there; if there are any, one of them must be
 * @param looks what must be there, but is not taken
 */
public record Charges(List<Charge> all, List<Charge> anyOf, List<Charge> looks) {
  /** Copies the lists; at least one must have something in it. */
  public Charges {
    all = List.copyOf(all);
    anyOf = List.copyOf(anyOf);
    looks = List.copyOf(looks);
    if (all.isEmpty() && anyOf.isEmpty() && looks.isEmpty()) {
      throw new IllegalArgumentException("charges must not be empty");
    }
  }

  /** Charges that are all made, or none of them. */
  public static Charges of(List<Charge> all) {
    return new Charges(all, List.of(), List.of());
  }

  int size() {
    return all.size() + anyOf.size() + looks.size();
  }

  /** All of them in one row: {@code all}, {@code anyOf}, {@code looks}. */
  Charge get(int i) {
    int inAnyOf = i - all.size();
    if (inAnyOf < 0) {
      return all.get(i);
    }
    int inLooks = inAnyOf - anyOf.size();
    return inLooks < 0 ? anyOf.get(inAnyOf) : looks.get(inLooks);
  }

  /** How many of the row are taken, if granted: the first ones. */
  int taken() {
    return all.size() + anyOf.size();
  }

  /** Whether these are one charge and nothing else. */
  boolean isOne() {
    return all.size() == 1 && size() == 1;
  }

  /** Whether the request is granted if this is what each of the row says, from one of them on. */
  boolean areGranted(Decision[] decisions, int from) {
    boolean any = anyOf.isEmpty();
    for (int i = from; i < decisions.length; i++) {
      boolean allowed = decisions[i].allowed();
      if (isOneOfAny(i)) {
        any |= allowed;
      } else if (!allowed) {
        return false;
      }
    }
    return any;
  }

  /** Whether a request to which each says this can never be granted, however long it waits. */
  boolean neverFit(Decision[] decisions) {
    boolean none = !anyOf.isEmpty();
    for (int i = 0; i < decisions.length; i++) {
      boolean never = decisions[i].neverFits();
      if (isOneOfAny(i)) {
        none &= never;
      } else if (never) {
        return true;
      }
    }
    return none;
  }

  boolean isOneOfAny(int i) {
    return i >= all.size() && i < taken();
  }
}
