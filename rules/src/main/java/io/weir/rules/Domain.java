package io.weir.rules;

import java.util.List;
import java.util.Map;

/**
 * Rules that share attributes and a name.
 *
 * @param attributes where the values of attributes come from; one that is missing here comes with
 *     the request, by its name
 * @param rules in the order of the file
 */
public record Domain(String name, Map<String, AttributeSource> attributes, List<Rule> rules) {
  /** Copies the collections. */
  public Domain {
    attributes = Map.copyOf(attributes);
    rules = List.copyOf(rules);
  }
}
