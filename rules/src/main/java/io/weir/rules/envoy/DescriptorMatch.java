package io.weir.rules.envoy;

import io.weir.rules.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The result of a descriptor tree for one descriptor. */
public sealed interface DescriptorMatch {
  /** There are no rules of its domain. */
  record UnknownDomain() implements DescriptorMatch {}

  /** Nothing in its domain limits it. */
  record NoLimit() implements DescriptorMatch {}

  /** It is known and unlimited. */
  record Unlimited(DescriptorLimit limit) implements DescriptorMatch {}

  /**
   * It is limited.
   *
   * @param key the key of the bucket of the limit's rule: see {@link RuleDecision}
   */
  record Limited(DescriptorLimit limit, String key) implements DescriptorMatch {
    /** The rule to charge. */
    public Rule rule() {
      return limit.rule();
    }
  }

  /** It has a limit, but the limit of another descriptor of the request replaces it. */
  record Replaced(DescriptorLimit limit) implements DescriptorMatch {}

  /**
   * Removes the limits of one request that others replace by name. A replaced limit still replaces
   * others, so the result does not depend on the order.
   */
  static List<DescriptorMatch> settle(List<DescriptorMatch> found) {
    Set<String> removed = Set.of();
    for (DescriptorMatch each : found) {
      List<String> replaced = replacedBy(each);
      if (!replaced.isEmpty()) {
        removed = removed.isEmpty() ? new HashSet<>() : removed;
        removed.addAll(replaced);
      }
    }
    return removed.isEmpty() ? found : without(removed, found);
  }

  private static List<String> replacedBy(DescriptorMatch found) {
    if (found instanceof Limited limited) {
      return limited.limit().replaces();
    }
    return found instanceof Unlimited unlimited ? unlimited.limit().replaces() : List.of();
  }

  private static List<DescriptorMatch> without(Set<String> removed, List<DescriptorMatch> found) {
    return found.stream().map(each -> without(removed, each)).toList();
  }

  private static DescriptorMatch without(Set<String> removed, DescriptorMatch found) {
    return found instanceof Limited limited
            && limited.limit().name().filter(removed::contains).isPresent()
        ? new Replaced(limited.limit())
        : found;
  }
}
