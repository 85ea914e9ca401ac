package io.weir.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Numbers the meters of a rule set. */
final class Meters {
  private final List<Meter> all = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  /** The rule's own limits. */
  Meter add(Rule rule) {
    return add(new Meter(all.size(), rule, Optional.empty(), 0, rule.limits()));
  }

  /** The limits of the override at {@code index}. */
  Meter add(Rule rule, int index) {
    Variant variant = rule.variants().get(index);
    return add(new Meter(all.size(), rule, Optional.of(variant), index + 1, variant.limits()));
  }

  private Meter add(Meter meter) {
    if (!ids.add(meter.id())) {
      throw new IllegalArgumentException(
          "rule '" + meter.rule().name() + "' has two overrides of the same name or match");
    }
    all.add(meter);
    return meter;
  }

  List<Meter> all() {
    return List.copyOf(all);
  }
}
