package io.weir.rules;

import java.util.List;
import java.util.Map;

/**
 * Rules that share attributes and a name.
 *
 * @param attributes where the values of attributes come from; one that is missing here comes with
 *     the request, by its name
 * @param rules in the order of the file
 * @param descriptors the limits of the Envoy form, which only descriptors are asked about
 */
public record Domain(
    String name,
    Map<String, AttributeSource> attributes,
    List<Rule> rules,
    DescriptorTree descriptors) {
  /** Copies the collections. */
  public Domain {
    attributes = Map.copyOf(attributes);
    rules = List.copyOf(rules);
  }

  /** A domain without limits by descriptors. */
  public Domain(String name, Map<String, AttributeSource> attributes, List<Rule> rules) {
    this(name, attributes, rules, DescriptorTree.of(name, List.of()));
  }
}
