package io.weir.rules.file;

import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.text.Excerpt;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Attributes derived from other attributes. Chains must not be circular and not longer than {@link
 * #MAX_DEPTH}, because values are computed recursively.
 */
final class AttributeCycleCheck {
  /** The maximum number of attributes in a chain. */
  static final int MAX_DEPTH = Domain.MAX_DERIVATION_DEPTH;

  private final Map<String, AttributeSource> sources;
  private final Map<String, Integer> lengths = new HashMap<>();
  private final Set<String> path = new LinkedHashSet<>();

  AttributeCycleCheck(Map<String, AttributeSource> sources) {
    this.sources = sources;
  }

  /** The error in the chain that starts at {@code attribute}. */
  Optional<String> fault(String attribute) {
    path.clear();
    try {
      length(attribute);
      return Optional.empty();
    } catch (IllegalStateException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private int length(String attribute) {
    Integer known = lengths.get(attribute);
    if (known != null) {
      return known;
    }
    if (!path.add(attribute)) {
      throw new IllegalStateException(
          "attributes are derived from each other in a circle: "
              + Excerpt.of(String.join(" → ", path) + " → " + attribute, 200));
    }
    int length = 0;
    AttributeSource source = sources.get(attribute);
    for (String next : source == null ? List.<String>of() : source.attributes()) {
      length = Math.max(length, path.size() > MAX_DEPTH + 1 ? MAX_DEPTH + 1 : length(next) + 1);
    }
    if (length > MAX_DEPTH) {
      throw new IllegalStateException(
          "attributes are derived from each other more than " + MAX_DEPTH + " in a row");
    }
    path.remove(attribute);
    lengths.put(attribute, length);
    return length;
  }
}
