package io.weir;

import org.jspecify.annotations.Nullable;

/** Several charges on limiters of this process, made together or not at all. */
final class TakenHere {
  /*
   * Every charge is asked whether it would pass; if one would not, nothing is taken. Then they are
   * taken one after the other, and should somebody else have been faster on one of them, what was
   * taken before it is given back to the same entry, window or epoch. So never too much is granted;
   * at worst, while two such requests race for the last permit, somebody is told no by a charge that
   * is given back a moment later.
   *
   * The first charge is not asked: when the others have said yes, it may as well be taken, since
   * nothing was taken before it. That saves one question of, say, three.
   *
   * Who would pass is only asked for a yes; how everybody stands is looked up for those who are
   * refused. Where a limit counts rejected requests, it has to be told, and everybody stands
   * differently afterwards; so they are asked once more. Few limits do.
   */

  private final Charges charges;
  private final Decision[] decisions;
  private final Buckets.@Nullable Receipt[] receipts;

  TakenHere(Charges charges) {
    this.charges = charges;
    this.decisions = new Decision[charges.size()];
    this.receipts = new Buckets.Receipt[charges.size()];
  }

  /** Takes one by one without asking first: where nobody may wait, nobody is asked. */
  static Receipts withoutAsking(Charges charges) {
    TakenHere taken = new TakenHere(charges);
    for (int i = 0; i < charges.size(); i++) {
      taken.takes(i);
    }
    if (charges.areGranted(taken.decisions)) {
      return taken.granted();
    }
    taken.giveBack();
    return Receipts.refused(charges, taken.decisions);
  }

  Receipts take() {
    if (!isThere()) {
      peekAll();
      if (!charges.areGranted(decisions)) {
        return refuse();
      } // else what was missing is there by now
    }
    try {
      int refusing = takeAll();
      return refusing < 0 ? granted() : refuseAfter(refusing);
    } catch (RuntimeException e) {
      giveBack();
      throw e;
    }
  }

  /** Asks all but the first. */
  private boolean isThere() {
    int all = charges.all().size();
    for (int i = 0; i < all; i++) {
      if ((i > 0 || charges.get(i).isLook()) && !has(i)) {
        return false;
      }
    }
    for (int i = all; i < decisions.length; i++) {
      if (has(i)) {
        return true;
      }
    }
    return charges.anyOf().isEmpty();
  }

  private boolean has(int i) {
    Charge charge = charges.get(i);
    return charge.limiter().buckets().has(charge.key(), charge.cost());
  }

  private void peekAll() {
    for (int i = 0; i < decisions.length; i++) {
      decisions[i] = peek(charges.get(i));
    }
  }

  /** The place of the charge that was refused, or of the first of a choice that was; else −1. */
  private int takeAll() {
    int all = charges.all().size();
    for (int i = 0; i < all; i++) {
      if (!takes(i)) {
        return i;
      }
    }
    boolean any = charges.anyOf().isEmpty();
    for (int i = all; i < decisions.length; i++) {
      any |= takes(i);
    }
    return any ? -1 : all;
  }

  private boolean takes(int i) {
    decisions[i] = charges.get(i).isLook() ? peek(charges.get(i)) : take(i);
    return decisions[i].allowed();
  }

  private Decision take(int i) {
    Charge charge = charges.get(i);
    Buckets.Receipt receipt = charge.limiter().buckets().take(charge.key(), charge.cost());
    receipts[i] = receipt.decision().allowed() ? receipt : null;
    return receipt.decision();
  }

  private Receipts granted() {
    return Receipts.granted(charges, decisions, receipts);
  }

  private void giveBack() {
    for (int i = 0; i < receipts.length; i++) {
      Buckets.Receipt receipt = receipts[i];
      if (receipt != null) {
        receipts[i] = null;
        charges.get(i).limiter().buckets().settle(receipt, 0);
      }
    }
  }

  /** After everybody was asked, and nothing was taken. */
  private Receipts refuse() {
    if (!charges.neverFit(decisions) && isNoted()) {
      Decision[] before = decisions.clone();
      for (int i = 0; i < decisions.length; i++) {
        reject(charges.get(i));
      }
      peekAll();
      if (charges.areGranted(decisions)) {
        return Receipts.refused(charges, before); // it is there by now, but nothing was taken
      }
    }
    return Receipts.refused(charges, decisions);
  }

  /** After a charge was refused, whose limiter has noted that by itself. */
  private Receipts refuseAfter(int refusing) {
    giveBack();
    boolean isNoted = !decisions[refusing].neverFits() && isNoted();
    for (int i = 0; isNoted && i < decisions.length; i++) {
      if (!hasRefused(i, refusing)) {
        reject(charges.get(i));
      }
    }
    for (int i = 0; i < decisions.length; i++) {
      if (!hasRefused(i, refusing)) {
        decisions[i] = peek(charges.get(i));
      }
    }
    return Receipts.refused(charges, decisions);
  }

  private boolean hasRefused(int i, int refusing) {
    return i == refusing || (i > refusing && refusing == charges.all().size());
  }

  /** Whether a limit counts rejected requests. */
  private boolean isNoted() {
    for (int i = 0; i < decisions.length; i++) {
      if (countsRejected(charges.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean countsRejected(Charge charge) {
    for (Limit limit : charge.limiter().limits()) {
      if (limit.countRejected()) {
        return !charge.isLook();
      }
    }
    return false;
  }

  private static Decision peek(Charge charge) {
    return charge.limiter().buckets().peek(charge.key(), charge.cost());
  }

  /** Limits that count rejected requests note this one; a look is none. */
  private static void reject(Charge charge) {
    if (!charge.isLook()) {
      charge.limiter().buckets().reject(charge.key(), charge.cost());
    }
  }
}
