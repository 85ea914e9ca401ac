package io.weir.rules;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The result of a descriptor tree for one descriptor. */
public sealed interface Finding {
  /** There are no rules of its domain. */
  record UnknownDomain() implements Finding {}

  /** Nothing in its domain limits it. */
  record NoLimit() implements Finding {}

  /** It is known and unlimited. */
  record Unlimited(DescriptorLimit limit) implements Finding {}

  /**
   * It is limited.
   *
   * @param key the key of the bucket of the limit's rule: see {@link Verdict}
   */
  record Limited(DescriptorLimit limit, String key) implements Finding {
    /** The rule to charge. */
    public Rule rule() {
      return limit.rule();
    }
  }

  /** It has a limit, but the limit of another descriptor of the request replaces it. */
  record Replaced(DescriptorLimit limit) implements Finding {}

  /**
   * Removes the limits of one request that others replace by name. A replaced limit still replaces
   * others, so the result does not depend on the order.
   */
  static List<Finding> settle(List<Finding> found) {
    Set<String> gone = Set.of();
    for (Finding each : found) {
      List<String> replaced = replacedBy(each);
      if (!replaced.isEmpty()) {
        gone = gone.isEmpty() ? new HashSet<>() : gone;
        gone.addAll(replaced);
      }
    }
    return gone.isEmpty() ? found : without(gone, found);
  }

  private static List<String> replacedBy(Finding found) {
    if (found instanceof Limited limited) {
      return limited.limit().replaces();
    }
    return found instanceof Unlimited unlimited ? unlimited.limit().replaces() : List.of();
  }

  private static List<Finding> without(Set<String> gone, List<Finding> found) {
    return found.stream().map(each -> without(gone, each)).toList();
  }

  private static Finding without(Set<String> gone, Finding found) {
    return found instanceof Limited limited
            && limited.limit().name().filter(gone::contains).isPresent()
        ? new Replaced(limited.limit())
        : found;
  }
}
