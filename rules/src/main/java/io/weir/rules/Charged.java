package io.weir.rules;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Receipts;
import io.weir.Standing;
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
      isByTheseRules &= isBy(claim.meter().limits(), decisions.get(i));
    }
    return added;
  }

  @SuppressWarnings("ReferenceEquality") // nearly always the same objects, and then at once
  private static boolean isBy(List<Limit> limits, Decision decision) {
    List<Standing> standings = decision.standings();
    boolean same = limits.size() == standings.size();
    for (int i = 0; same && i < limits.size(); i++) {
      Limit by = standings.get(i).limit();
      same = limits.get(i) == by || limits.get(i).equals(by);
    }
    return same;
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
