package io.weir.rules;

import io.weir.Limit;
import io.weir.rules.engine.KeyJoiner;
import java.util.List;
import java.util.Optional;

/**
 * The limits of a rule, or of one of its variants, which have buckets of their own.
 *
 * @param number its index among all limit groups of a rule set, from 0
 * @param ruleOverride empty for the rule's own limits
 * @param override the variant's position in the rule, from 1; 0 for the rule's own limits
 */
public record LimitGroup(
    int number, Rule rule, Optional<RuleOverride> ruleOverride, int override, List<Limit> limits) {
  /** The limits of {@code rule} itself, outside of any rule set. */
  public static LimitGroup of(Rule rule) {
    return new LimitGroup(-1, rule, Optional.empty(), 0, rule.limits());
  }

  /**
   * Identifies its buckets across rule changes: the domain, the rule, its {@code per}, and the
   * variant.
   */
  public String id() {
    KeyJoiner id = new KeyJoiner().add(rule.domain()).add(rule.id()).add(KeyJoiner.of(rule.per()));
    ruleOverride.ifPresent(each -> id.add(each.id()));
    return id.toString();
  }

  /** The charge for a request of {@code cost}: at least one if the limit allows nothing at all. */
  public long charged(long cost) {
    return cost == 0 && limits.stream().anyMatch(limit -> limit.permits() == 0) ? 1 : cost;
  }
}
