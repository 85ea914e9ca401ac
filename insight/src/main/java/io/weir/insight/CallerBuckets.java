package io.weir.insight;

import io.weir.rules.LimitGroup;
import io.weir.rules.Rule;
import io.weir.rules.RuleBucket;
import io.weir.rules.RuleOverride;
import java.util.List;
import java.util.Optional;

/**
 * The buckets that apply to a caller: those of the rule's own limits, or of an override.
 *
 * @param isKnown whether exactly these apply; else one of them does
 */
public record CallerBuckets(List<RuleBucket> ruleBuckets, boolean isKnown) {
  /** Copies the list. */
  public CallerBuckets {
    ruleBuckets = List.copyOf(ruleBuckets);
  }

  /**
   * Selects the buckets of a caller that apply.
   *
   * @param known the limits that apply by the caller's attributes; empty if the attributes do not
   *     determine them
   * @param seen the limits that applied to its requests, the most recent first: see {@link
   *     TopCallers#limitsOf}
   * @param all its buckets of the rule
   */
  public static CallerBuckets of(
      Rule rule, Optional<LimitGroup> known, List<String> seen, List<RuleBucket> all) {
    if (rule.ruleOverrides().isEmpty()) {
      return new CallerBuckets(all, true);
    }
    List<String> ids = known.map(limitGroup -> List.of(id(limitGroup))).orElse(seen);
    List<RuleBucket> those =
        ids.stream()
            .flatMap(
                id -> all.stream().filter(ruleBucket -> id(ruleBucket.limitGroup()).equals(id)))
            .toList();
    return those.isEmpty() ? new CallerBuckets(all, false) : new CallerBuckets(those, true);
  }

  private static String id(LimitGroup limitGroup) {
    return limitGroup.ruleOverride().map(RuleOverride::id).orElse("");
  }
}
