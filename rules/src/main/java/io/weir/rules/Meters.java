package io.weir.rules;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Counts the meters of a rule set. */
final class Meters {
  private final List<Meter> all = new ArrayList<>();

  Meter add(Rule rule, Optional<Variant> variant, List<Limit> limits) {
    Meter meter = new Meter(all.size(), rule, variant, limits);
    all.add(meter);
    return meter;
  }

  List<Meter> all() {
    return List.copyOf(all);
  }
}
