package io.weir.rules.engine;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import java.util.ArrayList;
import java.util.List;

/** Builds rulings from decided demands. */
public final class RequestDecisions {
  private RequestDecisions() {}

  /** The ruling of all decided demands, in their order. */
  public static RequestDecision ruling(List<Demand> demands) {
    if (demands.size() == 1 && !demands.get(0).isShadow()) {
      return RequestDecision.of(List.of(demands.get(0).ruleDecision()), List.of());
    }
    List<RuleDecision> ruleDecisions = new ArrayList<>(demands.size());
    List<RuleDecision> shadows = List.of();
    for (Demand demand : demands) {
      if (demand.isShadow()) {
        if (demand.isDecided()) {
          shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
          shadows.add(demand.ruleDecision());
        }
      } else {
        ruleDecisions.add(demand.ruleDecision());
      }
    }
    return RequestDecision.of(ruleDecisions, shadows);
  }
}
