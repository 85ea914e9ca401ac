package io.weir.seeing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits that apply to some callers of a rule, with buckets of their own: the rule's own
 * limits, or those of an override.
 *
 * @param id as {@link io.weir.rules.Variant#id}; empty for the rule's own limits
 * @param name the override's name as it may be shown; null for the rule's own limits
 * @param salt separates callers with the same key under other limits
 */
record Part(String id, @Nullable String name, long salt) {
  /** The rule's own limits. */
  static final Part OWN = new Part("", null, 0);

  /** The parts of a rule without overrides; shared, because there are many such rules. */
  static final List<Part> OWN_ALONE = List.of(OWN);

  private static final long SEED = 0x6A09E667F3BCC909L;

  static Part of(String id, String name) {
    return new Part(id, name, LongKeys.hash(SEED, id));
  }
}
