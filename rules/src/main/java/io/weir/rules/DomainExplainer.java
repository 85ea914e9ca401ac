package io.weir.rules;

import io.weir.rules.Explanation.Attribute;
import io.weir.rules.Explanation.OfRule;
import io.weir.rules.Explanation.Outcome;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Facts;
import io.weir.rules.match.Match;
import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the rules of a domain one by one and records why each applies or not. */
final class DomainExplainer {
  private static final List<String> ALWAYS = List.of("ip", "method", "path", "host");

  private final Domain domain;
  private final Attributes attributes;
  private final RequestFacts facts;

  DomainExplainer(Domain domain, Request request) {
    this.domain = domain;
    this.attributes = new Attributes(domain.attributes());
    ALWAYS.forEach(attributes::place);
    attributes.placeAll(domain.active());
    this.facts = new RequestFacts(attributes, request);
  }

  Explanation.OfDomain explain() {
    List<Attribute> found = new ArrayList<>();
    for (int place = 0; place < attributes.count(); place++) {
      found.add(
          new Attribute(
              attributes.name(place),
              Optional.ofNullable(attributes.source(place)),
              Optional.ofNullable(facts.value(place))));
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
    private final Segments segments;
    private final Facts seen;

    RuleExplainer(Rule rule) {
      this.rule = rule;
      this.segments = new Segments(rule, attributes);
      this.seen = segments.in(facts);
    }

    OfRule explain() {
      List<Attribute> named = new ArrayList<>();
      for (String segment : segments.names()) {
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
      Optional<Variant> variant =
          rule.variants().stream().filter(each -> holds(each.match())).findFirst();
      return variant.isEmpty() && rule.limits().isEmpty()
          ? new Outcome.Unlimited()
          : new Outcome.Applies(variant, Keys.of(values), cost());
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
      return facts.request().cost();
    }

    private boolean holds(Match match) {
      return MatchIndex.of(List.of(new MatchIndex.Entry<>(match, true)), segments::place).any(seen);
    }

    private Optional<String> value(String attribute) {
      return Optional.ofNullable(seen.value(segments.place(attribute)));
    }
  }
}
