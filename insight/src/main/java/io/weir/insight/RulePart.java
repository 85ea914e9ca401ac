package io.weir.insight;

import io.weir.insight.event.KeyTruncation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits that apply to some callers of a rule, with buckets of their own: the rule's own
 * limits, or those of an override.
 *
 * @param id as {@link io.weir.rules.RuleOverride#id}; empty for the rule's own limits
 * @param name the override's name as it may be shown; null for the rule's own limits
 * @param salt separates callers with the same key under other limits
 */
record RulePart(String id, @Nullable String name, long salt) {
  /** The rule's own limits. */
  static final RulePart OWN = new RulePart("", null, 0);

  /** The parts of a rule without overrides; shared, because there are many such rules. */
  static final List<RulePart> OWN_ALONE = List.of(OWN);

  private static final long SEED = 0x6A09E667F3BCC909L;

  static RulePart of(String id, String name) {
    return new RulePart(id, name, KeyTruncation.hash(SEED, id));
  }
}
