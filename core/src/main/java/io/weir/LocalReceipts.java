package io.weir;

import org.jspecify.annotations.Nullable;

/** Several charges on local limiters, made together or not at all. */
final class LocalReceipts {
  /*
   * Each charge is checked first; if one would be refused, nothing is taken. Then they are taken
   * one after the other. If a concurrent request was faster on one of them, what was taken before
   * it is given back to the same entry, window or epoch. So too much is never granted. At worst,
   * while two such requests race for the last permit, one is refused because of a charge that is
   * given back a moment later.
   *
   * The first charge is not checked: when the others would pass, it can be taken directly, since
   * nothing was taken before it. That saves one check of, say, three.
   *
   * For an allowed request only the outcome of each check is needed; the full status of each
   * limit is read only for refused ones. Where a limit counts rejected requests, it has to record
   * this one, which changes the status; so it is read once more. Few limits count them.
   */

  private final Charges charges;
  private final Decision[] decisions;
  private final Buckets.@Nullable Receipt[] receipts;

  LocalReceipts(Charges charges) {
    this.charges = charges;
    this.decisions = new Decision[charges.size()];
    this.receipts = new Buckets.Receipt[charges.size()];
  }

  /**
   * Takes one by one without checking first, because a thread that must not block cannot call a
   * remote store.
   */
  static Receipts takeUnchecked(Charges charges) {
    LocalReceipts taken = new LocalReceipts(charges);
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
      } // else the missing permits are available by now
    }
    try {
      int refusing = takeAll();
      return refusing < 0 ? granted() : refuseAfter(refusing);
    } catch (RuntimeException e) {
      giveBack();
      throw e;
    }
  }

  /** Checks all charges but the first. */
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

  /** The place of the charge that was refused, or of the first refused alternative; else −1. */
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

  /** Refuses after all were checked and nothing was taken. */
  private Receipts refuse() {
    if (!charges.neverFit(decisions) && isNoted()) {
      Decision[] before = decisions.clone();
      for (int i = 0; i < decisions.length; i++) {
        reject(charges.get(i));
      }
      peekAll();
      if (charges.areGranted(decisions)) {
        return Receipts.refused(charges, before); // available by now, but nothing was taken
      }
    }
    return Receipts.refused(charges, decisions);
  }

  /** Refuses after a limiter refused its charge, and has recorded that itself. */
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

  /** Records this request where a limit counts rejected ones, unless the charge only looks. */
  private static void reject(Charge charge) {
    if (!charge.isLook()) {
      charge.limiter().buckets().reject(charge.key(), charge.cost());
    }
  }
}
