package io.weir.rules;

import io.weir.rules.engine.DomainExplainer;
import io.weir.rules.match.Match;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Explains why rules apply to a request or not. The result equals that of {@link RuleSet#charges},
 * but is computed rule by rule with reasons. For diagnostics: the cost grows with the number of
 * rules.
 */
public record Explanation(List<OfDomain> domains) {
  /** Copies the list. */
  public Explanation {
    domains = List.copyOf(domains);
  }

  /**
   * Explains the effect of {@code rules} on {@code request}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if the request has an invalid value, even
   *     one that the applicable rules do not use
   */
  public static Explanation of(RuleSet rules, Request request) {
    List<OfDomain> domains = new ArrayList<>();
    for (Domain domain : rules.domains()) {
      domains.add(new DomainExplainer(domain, request).explain());
    }
    return new Explanation(domains);
  }

  /** All rules that apply, in the order of the files. */
  public List<OfRule> applying() {
    return domains.stream()
        .flatMap(domain -> domain.rules().stream())
        .filter(rule -> rule.outcome() instanceof Outcome.Applies)
        .toList();
  }

  /**
   * The rules of one domain on a request.
   *
   * @param attributes those that every request has, then all that rules use
   */
  public record OfDomain(Domain domain, List<Attribute> attributes, List<OfRule> rules) {
    /** Copies the lists. */
    public OfDomain {
      attributes = List.copyOf(attributes);
      rules = List.copyOf(rules);
    }
  }

  /**
   * An attribute of a request.
   *
   * @param source the source of its value; empty if it comes with the request, by its name
   * @param value empty if the request lacks it
   */
  public record Attribute(String name, Optional<AttributeSource> source, Optional<String> value) {}

  /**
   * The result of one rule on a request.
   *
   * @param segments the path segments that the rule names
   */
  public record OfRule(Rule rule, List<Attribute> segments, Outcome outcome) {
    /** Copies the list. */
    public OfRule {
      segments = List.copyOf(segments);
    }
  }

  /** Whether a rule applies, and the reason if not. */
  public sealed interface Outcome {
    /** The rule is off. */
    record Off() implements Outcome {}

    /**
     * A condition of its match does not hold.
     *
     * @param value the request's value; empty if it has none
     */
    record Unmet(io.weir.rules.match.Condition condition, Optional<String> value)
        implements Outcome {}

    /** The rule exempts the request. */
    record Exempt(Match by) implements Outcome {}

    /** The request lacks an attribute of the rule's key. */
    record Lacks(String attribute) implements Outcome {}

    /** The rule has no limit for this request. */
    record Unlimited() implements Outcome {}

    /**
     * It applies.
     *
     * @param ruleOverride the override that replaces its limits
     * @param key the key of the bucket: see {@link RuleDecision}
     */
    record Applies(Optional<RuleOverride> ruleOverride, String key, long cost) implements Outcome {}
  }
}
