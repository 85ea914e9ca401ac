package io.weir.rules.engine;

import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Explanation;
import io.weir.rules.Explanation.Attribute;
import io.weir.rules.Explanation.OfRule;
import io.weir.rules.Explanation.Outcome;
import io.weir.rules.Policy;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.match.AttributeValues;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the rules of a domain one by one and records why each applies or not. */
public final class DomainExplainer {
  private static final List<String> ALWAYS = List.of("ip", "method", "path", "host");

  private final Domain domain;
  private final AttributeIndex attributeIndex;
  private final RequestAttributes attributes;

  public DomainExplainer(Domain domain, Request request) {
    this.domain = domain;
    this.attributeIndex = new AttributeIndex(domain.attributes());
    ALWAYS.forEach(attributeIndex::place);
    attributeIndex.placeAll(domain.active());
    this.attributes = new RequestAttributes(attributeIndex, request);
  }

  public Explanation.OfDomain explain() {
    List<Attribute> found = new ArrayList<>();
    for (int place = 0; place < attributeIndex.count(); place++) {
      found.add(
          new Attribute(
              attributeIndex.name(place),
              Optional.ofNullable(attributeIndex.source(place)),
              Optional.ofNullable(attributes.value(place))));
    }
    List<OfRule> rules = new ArrayList<>();
    for (Rule rule : domain.rules()) {
      rules.add(
          rule.policy().mode() == Policy.Mode.OFF
              ? new OfRule(rule, List.of(), new Outcome.Off())
              : new RuleExplainer(rule).explain());
    }
    return new Explanation.OfDomain(domain, found, rules);
  }

  /** Checks one rule against the request. */
  private final class RuleExplainer {
    private final Rule rule;
    private final PathVariables pathVariables;
    private final AttributeValues attributeValues;

    RuleExplainer(Rule rule) {
      this.rule = rule;
      this.pathVariables = new PathVariables(rule, attributeIndex);
      this.attributeValues = pathVariables.in(attributes);
    }

    OfRule explain() {
      List<Attribute> named = new ArrayList<>();
      for (String segment : pathVariables.names()) {
        named.add(new Attribute(segment, Optional.empty(), value(segment)));
      }
      return new OfRule(rule, named, outcome());
    }

    private Outcome outcome() {
      for (Condition condition : rule.match().conditions()) {
        if (!holds(Match.of(condition))) {
          return new Outcome.Unmet(condition, value(condition.attribute()));
        }
      }
      for (Match exempt : rule.exempt()) {
        if (holds(exempt)) {
          return new Outcome.Exempt(exempt);
        }
      }
      List<String> values = new ArrayList<>();
      for (String per : rule.per()) {
        Optional<String> value = value(per);
        if (value.isEmpty()) {
          return new Outcome.Lacks(per);
        }
        values.add(value.get());
      }
      Optional<RuleOverride> ruleOverride =
          rule.ruleOverrides().stream().filter(each -> holds(each.match())).findFirst();
      return ruleOverride.isEmpty() && rule.limits().isEmpty()
          ? new Outcome.Unlimited()
          : new Outcome.Applies(ruleOverride, KeyJoiner.of(values), cost());
    }

    private long cost() {
      if (rule.cost() instanceof Cost.Fixed fixed) {
        return fixed.permits();
      }
      if (rule.cost() instanceof Cost.OfAttribute of) {
        return value(of.attribute())
            .map(value -> CompiledRule.parseCost(of.attribute(), value))
            .orElse(1L);
      }
      return attributes.request().cost();
    }

    private boolean holds(Match match) {
      return MatchIndex.of(List.of(new MatchIndex.Entry<>(match, true)), pathVariables::place)
          .any(attributeValues);
    }

    private Optional<String> value(String attribute) {
      return Optional.ofNullable(attributeValues.value(pathVariables.place(attribute)));
    }
  }
}
