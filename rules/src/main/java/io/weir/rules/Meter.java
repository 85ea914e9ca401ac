package io.weir.rules;

import io.weir.Limit;
import java.util.List;
import java.util.Optional;

/**
 * The limits of a rule, or of one of its variants, which have buckets of their own.
 *
 * @param number its place among all meters of a rule set, from 0
 * @param variant empty for the rule's own limits
 * @param override the variant's place among those of the rule, from 1; 0 for the rule's own limits
 */
public record Meter(
    int number, Rule rule, Optional<Variant> variant, int override, List<Limit> limits) {
  /** The limits of {@code rule} itself, outside of any rule set. */
  static Meter of(Rule rule) {
    return new Meter(-1, rule, Optional.empty(), 0, rule.limits());
  }

  /**
   * What tells its buckets from those of all other meters, now and after a change of the rules: the
   * domain, the rule, its {@code per}, and the variant.
   */
  public String id() {
    Keys id = new Keys().add(rule.domain()).add(rule.id()).add(Keys.of(rule.per()));
    variant.ifPresent(each -> id.add(each.id()));
    return id.toString();
  }

  /** What a request of {@code cost} is charged: at least one where nothing is allowed at all. */
  long charged(long cost) {
    return cost == 0 && limits.stream().anyMatch(limit -> limit.permits() == 0) ? 1 : cost;
  }
}
