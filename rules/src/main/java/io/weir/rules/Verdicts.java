package io.weir.rules;

import java.util.ArrayList;
import java.util.List;

/** What demands came to, as a ruling. */
final class Verdicts {
  private Verdicts() {}

  /** Of all that were decided, in their order. */
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
