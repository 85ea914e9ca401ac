package io.weir.rules;

import io.weir.rules.match.Match;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Why rules apply to a request, or do not: the same answer as {@link RuleSet#claims}, found rule by
 * rule and with its reasons kept. For people; it costs time for every rule that there is.
 */
public record Explanation(List<OfDomain> domains) {
  /** Copies the list. */
  public Explanation {
    domains = List.copyOf(domains);
  }

  /**
   * Explains what {@code rules} make of {@code request}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if the request cannot be judged; also
   *     where the rules that apply could do without the value that is at fault
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
   * What the rules of one domain make of a request.
   *
   * @param attributes those that the request always has, then all that rules speak of
   */
  public record OfDomain(Domain domain, List<Attribute> attributes, List<OfRule> rules) {
    /** Copies the lists. */
    public OfDomain {
      attributes = List.copyOf(attributes);
      rules = List.copyOf(rules);
    }
  }

  /**
   * What a request says of itself.
   *
   * @param source where its value comes from; empty if it comes with the request, by its name
   * @param value empty if the request lacks it
   */
  public record Attribute(String name, Optional<AttributeSource> source, Optional<String> value) {}

  /**
   * What one rule makes of a request.
   *
   * @param segments the segments of the path that the rule has names for
   */
  public record OfRule(Rule rule, List<Attribute> segments, Outcome outcome) {
    /** Copies the list. */
    public OfRule {
      segments = List.copyOf(segments);
    }
  }

  /** Whether a rule applies, and why not. */
  public sealed interface Outcome {
    /** It is switched off. */
    record Off() implements Outcome {}

    /**
     * A condition of its match does not hold.
     *
     * @param value what the request has; empty if nothing
     */
    record Unmet(io.weir.rules.match.Condition condition, Optional<String> value)
        implements Outcome {}

    /** The request is one that the rule never counts. */
    record Exempt(Match by) implements Outcome {}

    /** The request lacks an attribute that the rule has a bucket for each value of. */
    record Lacks(String attribute) implements Outcome {}

    /** The rule has no limit for this request. */
    record Unlimited() implements Outcome {}

    /**
     * It applies.
     *
     * @param variant the override that replaces its limits
     * @param key whose bucket: see {@link Verdict}
     */
    record Applies(Optional<Variant> variant, String key, long cost) implements Outcome {}
  }
}
