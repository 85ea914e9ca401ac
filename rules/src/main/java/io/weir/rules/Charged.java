package io.weir.rules;

import io.weir.Decision;
import io.weir.Receipts;
import java.util.ArrayList;
import java.util.List;

/** What was charged for one request, and the way back. */
final class Charged {
  private final List<Receipts> receipts = new ArrayList<>(1);
  private List<Verdict> verdicts = List.of();
  private List<Verdict> shadows = List.of();
  private boolean isByTheseRules = true;

  void enforce(List<Claim> claims, Receipts taken) {
    verdicts = verdicts(claims, taken);
  }

  void tryOut(Claim claim, Receipts taken) {
    shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
    shadows.addAll(verdicts(List.of(claim), taken));
  }

  private List<Verdict> verdicts(List<Claim> claims, Receipts taken) {
    receipts.add(taken);
    List<Decision> decisions = taken.decisions();
    List<Verdict> added = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      added.add(new Verdict(claim.rule(), claim.key(), decisions.get(i)));
      isByTheseRules &= claim.meter().decides(decisions.get(i));
    }
    return added;
  }

  Ruling ruling() {
    return Ruling.of(verdicts, shadows);
  }

  /** Whether all decisions were made by the limits of the claims. */
  boolean isByTheseRules() {
    return isByTheseRules;
  }

  void cancel() {
    receipts.forEach(Receipts::cancel);
  }
}
