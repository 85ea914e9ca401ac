package io.weir.rules;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Counts the meters of a rule set. */
final class Meters {
  private final List<Meter> all = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  Meter add(Rule rule, Optional<Variant> variant, List<Limit> limits) {
    Meter meter = new Meter(all.size(), rule, variant, limits);
    if (!ids.add(meter.id())) {
      throw new IllegalArgumentException(
          "rule '" + rule.name() + "' has two overrides of the same name or match");
    }
    all.add(meter);
    return meter;
  }

  List<Meter> all() {
    return List.copyOf(all);
  }
}
