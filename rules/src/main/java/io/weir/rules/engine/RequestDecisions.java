package io.weir.rules.engine;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import java.util.Arrays;
import java.util.List;

/** Combines decided charges into the decision on a request. */
public final class RequestDecisions {
  private RequestDecisions() {}

  /** The decision of all charges, in their order. */
  public static RequestDecision of(List<PendingCharge> charges) {
    int shadows = 0;
    for (int i = 0; i < charges.size(); i++) {
      shadows += charges.get(i).isShadow() ? 1 : 0;
    }
    return RequestDecision.of(
        ruleDecisions(charges, false, charges.size() - shadows),
        shadows == 0 ? List.of() : ruleDecisions(charges, true, shadows));
  }

  /** Shadow rules are not decided if an enforced one refused. */
  private static List<RuleDecision> ruleDecisions(
      List<PendingCharge> charges, boolean ofShadows, int count) {
    RuleDecision[] found = new RuleDecision[count];
    int size = 0;
    for (int i = 0; i < charges.size(); i++) {
      PendingCharge each = charges.get(i);
      if (each.isShadow() == ofShadows && (!ofShadows || each.isDecided())) {
        found[size++] = each.ruleDecision();
      }
    }
    return switch (size) {
      case 0 -> List.of();
      case 1 -> List.of(found[0]);
      case 2 -> List.of(found[0], found[1]);
      default -> List.of(size == count ? found : Arrays.copyOf(found, size));
    };
  }
}
