package io.weir.rules.cases;

import io.weir.rules.Place;
import io.weir.rules.RuleSet;
import java.time.Instant;
import java.util.List;

/**
 * A test of rules, which starts with full buckets.
 *
 * @param start the origin of its times
 * @param steps in order of time
 */
public record Case(String name, Place place, RuleSet rules, Instant start, List<Step> steps) {
  /** Copies the list. */
  public Case {
    steps = List.copyOf(steps);
  }
}
