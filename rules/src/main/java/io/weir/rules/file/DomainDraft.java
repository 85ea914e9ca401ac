package io.weir.rules.file;

import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.SourceLocation;
import io.weir.rules.envoy.DescriptorNode;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The content of one domain from the files read so far. */
final class DomainDraft {
  private final String name;
  private final ProblemCollector problemCollector;
  private final Map<String, Declared> attributes = new LinkedHashMap<>();
  private final Map<String, AttributeSource> implied = new LinkedHashMap<>();
  private final Map<String, Rule> ids = new HashMap<>();
  private final List<Rule> rules = new ArrayList<>();
  private final DescriptorDraft descriptors;

  DomainDraft(String name, ProblemCollector problemCollector) {
    this.name = name;
    this.problemCollector = problemCollector;
    this.descriptors = new DescriptorDraft(name, problemCollector);
  }

  String name() {
    return name;
  }

  /** Adds an attribute that applies unless a file of the domain declares it. */
  void unlessDeclared(String attribute, AttributeSource source) {
    implied.put(attribute, source);
  }

  /** Adds an attribute. An equal declaration may be repeated; another source is an error. */
  void attribute(String attribute, AttributeSource source, SourceLocation sourceLocation) {
    Declared first = attributes.putIfAbsent(attribute, new Declared(source, sourceLocation));
    if (first != null && !first.source.equals(source)) {
      problemCollector.error(
          sourceLocation,
          "attribute "
              + Excerpt.quoted(attribute)
              + " has another source at "
              + first.sourceLocation
              + "; a domain has one for each attribute");
    }
  }

  /** Appends a rule. */
  void rule(Rule rule) {
    Rule first = ids.putIfAbsent(rule.id(), rule);
    if (first == null) {
      rules.add(rule);
    } else {
      problemCollector.error(
          rule.sourceLocation(),
          "duplicate rule name "
              + Excerpt.quoted(rule.name())
              + "; the first is at "
              + first.sourceLocation()
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
    AttributeCycleCheck attributeCycleCheck = new AttributeCycleCheck(sources());
    attributes.forEach(
        (attribute, declared) ->
            attributeCycleCheck
                .fault(attribute)
                .ifPresent(fault -> problemCollector.error(declared.sourceLocation, fault)));
  }

  /** The domain, if there are no problems. */
  Domain build() {
    Map<String, SourceLocation> sourceLocations = new LinkedHashMap<>();
    attributes.forEach(
        (attribute, declared) -> sourceLocations.put(attribute, declared.sourceLocation));
    Map<String, AttributeSource> sources = sources();
    List<Rule> built =
        sources.containsKey("path")
            ? rules.stream().map(Rule::withPathsInLowerCase).toList()
            : rules;
    return new Domain(name, sources, built, descriptors.build(), sourceLocations);
  }

  private Map<String, AttributeSource> sources() {
    Map<String, AttributeSource> sources = new LinkedHashMap<>(implied);
    attributes.forEach((attribute, declared) -> sources.put(attribute, declared.source));
    return sources;
  }

  private record Declared(AttributeSource source, SourceLocation sourceLocation) {}
}
