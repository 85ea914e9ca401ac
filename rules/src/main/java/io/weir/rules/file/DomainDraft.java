package io.weir.rules.file;

import io.weir.rules.AttributeSource;
import io.weir.rules.DescriptorNode;
import io.weir.rules.Domain;
import io.weir.rules.Place;
import io.weir.rules.Rule;
import io.weir.rules.text.Excerpt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The content of one domain from the files read so far. */
final class DomainDraft {
  private final String name;
  private final Problems problems;
  private final Map<String, Declared> attributes = new LinkedHashMap<>();
  private final Map<String, AttributeSource> implied = new LinkedHashMap<>();
  private final Map<String, Rule> ids = new HashMap<>();
  private final List<Rule> rules = new ArrayList<>();
  private final DescriptorDraft descriptors;

  DomainDraft(String name, Problems problems) {
    this.name = name;
    this.problems = problems;
    this.descriptors = new DescriptorDraft(name, problems);
  }

  String name() {
    return name;
  }

  /** Adds an attribute that applies unless a file of the domain declares it. */
  void unlessDeclared(String attribute, AttributeSource source) {
    implied.put(attribute, source);
  }

  /** Adds an attribute. An equal declaration may be repeated; another source is an error. */
  void attribute(String attribute, AttributeSource source, Place place) {
    Declared first = attributes.putIfAbsent(attribute, new Declared(source, place));
    if (first != null && !first.source.equals(source)) {
      problems.error(
          place,
          "attribute "
              + Excerpt.quoted(attribute)
              + " has another source at "
              + first.place
              + "; a domain has one for each attribute");
    }
  }

  /** Appends a rule. */
  void rule(Rule rule) {
    Rule first = ids.putIfAbsent(rule.id(), rule);
    if (first == null) {
      rules.add(rule);
    } else {
      problems.error(
          rule.place(),
          "duplicate rule name "
              + Excerpt.quoted(rule.name())
              + "; the first is at "
              + first.place()
              + (name.equals(Rule.DEFAULT_DOMAIN)
                  ? ""
                  : ", in the same domain " + Excerpt.quoted(name)));
    }
  }

  /** Appends limits by descriptors. */
  void descriptors(List<DescriptorNode> nodes) {
    descriptors.add(nodes);
  }

  /** Reports errors of the attributes as a whole. */
  void check() {
    Chains chains = new Chains(sources());
    attributes.forEach(
        (attribute, declared) ->
            chains.fault(attribute).ifPresent(fault -> problems.error(declared.place, fault)));
  }

  /** The domain, if there are no problems. */
  Domain build() {
    Map<String, Place> places = new LinkedHashMap<>();
    attributes.forEach((attribute, declared) -> places.put(attribute, declared.place));
    Map<String, AttributeSource> sources = sources();
    List<Rule> built =
        sources.containsKey("path")
            ? rules.stream().map(Rule::withPathsInLowerCase).toList()
            : rules;
    return new Domain(name, sources, built, descriptors.build(), places);
  }

  private Map<String, AttributeSource> sources() {
    Map<String, AttributeSource> sources = new LinkedHashMap<>(implied);
    attributes.forEach((attribute, declared) -> sources.put(attribute, declared.source));
    return sources;
  }

  private record Declared(AttributeSource source, Place place) {}
}
