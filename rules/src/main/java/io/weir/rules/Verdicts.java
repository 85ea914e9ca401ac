package io.weir.rules;

import java.util.ArrayList;
import java.util.List;

/** Builds rulings from decided demands. */
final class Verdicts {
  private Verdicts() {}

  /** The ruling of all decided demands, in their order. */
  static Ruling ruling(List<Demand> demands) {
    if (demands.size() == 1 && !demands.get(0).isShadow()) {
      return Ruling.of(List.of(demands.get(0).verdict()), List.of());
    }
    List<Verdict> verdicts = new ArrayList<>(demands.size());
    List<Verdict> shadows = List.of();
    for (Demand demand : demands) {
      if (demand.isShadow()) {
        if (demand.isDecided()) {
          shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
          shadows.add(demand.verdict());
        }
      } else {
        verdicts.add(demand.verdict());
      }
    }
    return Ruling.of(verdicts, shadows);
  }
}
