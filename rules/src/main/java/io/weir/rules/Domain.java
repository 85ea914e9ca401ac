package io.weir.rules;

import io.weir.rules.envoy.DescriptorLimit;
import io.weir.rules.envoy.DescriptorTree;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Rules that share attributes and a name. Immutable.
 *
 * @param attributes the sources of attributes; one that is missing here comes with the request, by
 *     its name
 * @param rules in the order of the file
 * @param descriptors the limits of the Envoy form, which apply only to descriptors
 * @param sourceLocations where attributes are declared in files
 */
public record Domain(
    String name,
    Map<String, AttributeSource> attributes,
    List<Rule> rules,
    DescriptorTree descriptors,
    Map<String, SourceLocation> sourceLocations) {
  /** The longest chain of attributes that are derived from each other. */
  public static final int MAX_DERIVATION_DEPTH = 16;

  private static final int CYCLIC = MAX_DERIVATION_DEPTH + 1;

  /** Copies the collections. */
  public Domain {
    attributes = Map.copyOf(attributes);
    rules = List.copyOf(rules);
    sourceLocations = Map.copyOf(sourceLocations);
    requireDerivable(attributes);
  }

  /** A domain with attributes declared by a program. */
  public Domain(
      String name,
      Map<String, AttributeSource> attributes,
      List<Rule> rules,
      DescriptorTree descriptors) {
    this(name, attributes, rules, descriptors, Map.of());
  }

  /** A domain without limits by descriptors. */
  public Domain(String name, Map<String, AttributeSource> attributes, List<Rule> rules) {
    this(name, attributes, rules, DescriptorTree.of(name, List.of()));
  }

  /** The rules, then those of the limits by descriptors; includes rules that are off. */
  public List<Rule> allRules() {
    return Stream.concat(rules.stream(), descriptors.limits().stream().map(DescriptorLimit::rule))
        .toList();
  }

  /** The rules that are not off. */
  public List<Rule> active() {
    return rules.stream().filter(rule -> rule.policy().mode() != Policy.Mode.OFF).toList();
  }

  private static void requireDerivable(Map<String, AttributeSource> sources) {
    Map<String, Integer> depths = new HashMap<>();
    for (String attribute : sources.keySet()) {
      if (depth(attribute, sources, depths) > MAX_DERIVATION_DEPTH) {
        throw new IllegalArgumentException(
            "attribute '"
                + attribute
                + "' is derived from itself, or through more than "
                + MAX_DERIVATION_DEPTH
                + " others");
      }
    }
  }

  /**
   * How many derivation steps an attribute is away from the request; over the limit if circular.
   */
  private static int depth(
      String attribute, Map<String, AttributeSource> sources, Map<String, Integer> depths) {
    AttributeSource source = sources.get(attribute);
    if (source == null) {
      return 0;
    }
    // replaced below unless there is a cycle
    Integer known = depths.putIfAbsent(attribute, CYCLIC);
    if (known != null) {
      return known;
    }
    int depth = 0;
    for (String from : source.attributes()) {
      depth = Math.max(depth, 1 + depth(from, sources, depths));
    }
    depths.put(attribute, depth);
    return depth;
  }
}
