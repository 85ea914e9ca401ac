package io.weir.rules;

import io.weir.Limit;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.ValueMatcher;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One or several limits for the requests that it matches, counted for each distinct value of the
 * attributes in {@code per}. Immutable.
 *
 * @param domain the domain, in which its name is unique
 * @param name its name in headers, metrics and reports
 * @param id the name of its buckets: the rule's name, unless that is not unique
 * @param exempt the requests that it never counts
 * @param per the attributes of the key: each combination of values has its own buckets; none: one
 *     bucket for all
 * @param limits the limits unless a variant replaces them; none: nothing is limited
 * @param ruleOverrides its {@code overrides}: the first that matches replaces the limits
 * @param form the file format in which it was written
 */
public record Rule(
    String domain,
    String name,
    String id,
    Match match,
    List<Match> exempt,
    List<String> per,
    Cost cost,
    List<Limit> limits,
    List<RuleOverride> ruleOverrides,
    Policy policy,
    SourceLocation sourceLocation,
    Form form) {
  /** The domain of rules without a {@code domain}. */
  public static final String DEFAULT_DOMAIN = "default";

  /** Copies the lists. */
  public Rule {
    exempt = List.copyOf(exempt);
    per = List.copyOf(per);
    limits = List.copyOf(limits);
    ruleOverrides = List.copyOf(ruleOverrides);
  }

  /** The file format of a rule. */
  public enum Form {
    /** Weir's own, or built by a program. */
    OWN,
    /** With {@code rate_limits:}, where a rule is the size and rate of its bucket. */
    TIERS,
    /** That of Envoy's rate limit service. */
    DESCRIPTORS
  }

  /** The same rule for paths in lower case. */
  public Rule withPathsInLowerCase() {
    return new Rule(
        domain,
        name,
        id,
        match.withPathsInLowerCase(),
        exempt.stream().map(Match::withPathsInLowerCase).toList(),
        per,
        cost,
        limits,
        ruleOverrides.stream().map(Rule::inLowerCase).toList(),
        policy,
        sourceLocation,
        form);
  }

  private static RuleOverride inLowerCase(RuleOverride ruleOverride) {
    return new RuleOverride(
        ruleOverride.name(),
        ruleOverride.match().withPathsInLowerCase(),
        ruleOverride.limits(),
        ruleOverride.sourceLocation());
  }

  /** The path patterns that it matches. */
  public List<PathPattern> paths() {
    List<PathPattern> paths = new ArrayList<>();
    for (Condition condition : match.conditions()) {
      for (ValueMatcher valueMatcher : condition.anyOf()) {
        if (valueMatcher instanceof ValueMatcher.OnPath on) {
          paths.add(on.pattern());
        }
      }
    }
    return paths;
  }

  /** The named segments of its paths, which are attributes of this rule alone. */
  public Set<String> segments() {
    Set<String> names = new LinkedHashSet<>();
    paths().forEach(path -> names.addAll(path.names()));
    return names;
  }

  /** The attributes that it uses, except segments of its paths. */
  public Set<String> attributes() {
    Set<String> names = new LinkedHashSet<>(per);
    List<Match> matches = new ArrayList<>(exempt);
    matches.add(match);
    ruleOverrides.forEach(ruleOverride -> matches.add(ruleOverride.match()));
    for (Match each : matches) {
      each.conditions().forEach(condition -> names.add(condition.attribute()));
    }
    if (cost instanceof Cost.OfAttribute of) {
      names.add(of.attribute());
    }
    names.removeAll(segments());
    return names;
  }

  /** A builder for a rule that matches every request and has no limit yet. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Builds a rule. */
  public static final class Builder {
    private final String name;
    private @Nullable String id;
    private String domain = DEFAULT_DOMAIN;
    private Match match = Match.EVERYTHING;
    private List<Match> exempt = List.of();
    private List<String> per = List.of();
    private Cost cost = new Cost.OfRequest();
    private final List<Limit> limits = new ArrayList<>();
    private List<RuleOverride> ruleOverrides = List.of();
    private Policy policy = Policy.DEFAULT;
    private SourceLocation sourceLocation = SourceLocation.NOWHERE;
    private Form form = Form.OWN;

    private Builder(String name) {
      this.name = name;
    }

    /** The domain; {@code default} unless set. */
    public Builder domain(String domain) {
      this.domain = domain;
      return this;
    }

    /** The name of its buckets; the rule's name unless set. */
    public Builder id(String id) {
      this.id = id;
      return this;
    }

    /** The requests that it matches; all unless set. */
    public Builder match(Match match) {
      this.match = match;
      return this;
    }

    /** The requests that it never counts. */
    public Builder exempt(List<Match> exempt) {
      this.exempt = exempt;
      return this;
    }

    /** The attributes that make its key. */
    public Builder per(String... per) {
      return per(List.of(per));
    }

    /** The attributes that make its key. */
    public Builder per(List<String> per) {
      this.per = per;
      return this;
    }

    /** Its cost; the request's own cost unless set. */
    public Builder cost(Cost cost) {
      this.cost = cost;
      return this;
    }

    /** Adds a limit. */
    public Builder limit(Limit limit) {
      limits.add(limit);
      return this;
    }

    /** Adds limits. */
    public Builder limits(List<Limit> more) {
      limits.addAll(more);
      return this;
    }

    /** Its overrides. */
    public Builder variants(List<RuleOverride> ruleOverrides) {
      this.ruleOverrides = ruleOverrides;
      return this;
    }

    /** The mode, failure policy and consistency. */
    public Builder policy(Policy policy) {
      this.policy = policy;
      return this;
    }

    /** Its place in a file. */
    public Builder place(SourceLocation sourceLocation) {
      this.sourceLocation = sourceLocation;
      return this;
    }

    /** The file format; Weir's own unless set. */
    public Builder form(Form form) {
      this.form = form;
      return this;
    }

    /** Builds the rule. */
    public Rule build() {
      return new Rule(
          domain,
          name,
          id == null ? name : id,
          match,
          exempt,
          per,
          cost,
          limits,
          ruleOverrides,
          policy,
          sourceLocation,
          form);
    }
  }
}
