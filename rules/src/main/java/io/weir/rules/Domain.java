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
 * @param places where attributes are declared, as far as that is in a file
 */
public record Domain(
    String name,
    Map<String, AttributeSource> attributes,
    List<Rule> rules,
    DescriptorTree descriptors,
    Map<String, Place> places) {
  /** Copies the collections. */
  public Domain {
    attributes = Map.copyOf(attributes);
    rules = List.copyOf(rules);
    places = Map.copyOf(places);
  }

  /** A domain whose attributes are declared by a program. */
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
}
