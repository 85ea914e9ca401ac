package io.weir.rules;

import io.weir.Limit;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.Test;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A limit, or several that hold together, for the requests that it matches and for each distinct
 * value of the attributes that it is per.
 *
 * @param domain the domain that its name is unique in
 * @param name its name in headers, metrics and reports
 * @param id what its buckets are kept under: the name, unless that is not unique
 * @param exempt the requests that it never counts
 * @param per the attributes of which each combination of values has buckets of its own; none: one
 *     bucket for all
 * @param limits the limits unless a variant replaces them; none: nothing is limited
 * @param variants its {@code overrides}: the first that matches replaces the limits
 * @param form how it was written
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
    List<Variant> variants,
    Policy policy,
    Place place,
    Form form) {
  /** The domain of rules that name none. */
  public static final String DEFAULT_DOMAIN = "default";

  /** Copies the lists. */
  public Rule {
    exempt = List.copyOf(exempt);
    per = List.copyOf(per);
    limits = List.copyOf(limits);
    variants = List.copyOf(variants);
  }

  /** In which form of file a rule was written. */
  public enum Form {
    /** Weir's own, or a program. */
    OWN,
    /** With {@code rate_limits:}, where a rule is the numbers of its bucket. */
    TIERS,
    /** That of Envoy's rate limit service. */
    DESCRIPTORS
  }

  /** The same for paths that are seen in lower case. */
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
        variants.stream().map(Rule::inLowerCase).toList(),
        policy,
        place,
        form);
  }

  private static Variant inLowerCase(Variant variant) {
    return new Variant(
        variant.name(), variant.match().withPathsInLowerCase(), variant.limits(), variant.place());
  }

  /** The shapes of path that it is for. */
  public List<PathPattern> paths() {
    List<PathPattern> paths = new ArrayList<>();
    for (Condition condition : match.conditions()) {
      for (Test test : condition.anyOf()) {
        if (test instanceof Test.OnPath on) {
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

  /** The attributes that it speaks of, but for segments of its paths. */
  public Set<String> attributes() {
    Set<String> names = new LinkedHashSet<>(per);
    List<Match> matches = new ArrayList<>(exempt);
    matches.add(match);
    variants.forEach(variant -> matches.add(variant.match()));
    for (Match each : matches) {
      each.conditions().forEach(condition -> names.add(condition.attribute()));
    }
    if (cost instanceof Cost.OfAttribute of) {
      names.add(of.attribute());
    }
    names.removeAll(segments());
    return names;
  }

  /** A rule for every request, without a limit so far. */
  public static Builder named(String name) {
    return new Builder(name);
  }

  /** Builds a rule part by part. */
  public static final class Builder {
    private final String name;
    private @Nullable String id;
    private String domain = DEFAULT_DOMAIN;
    private Match match = Match.EVERYTHING;
    private List<Match> exempt = List.of();
    private List<String> per = List.of();
    private Cost cost = new Cost.OfRequest();
    private final List<Limit> limits = new ArrayList<>();
    private List<Variant> variants = List.of();
    private Policy policy = Policy.DEFAULT;
    private Place place = Place.NOWHERE;
    private Form form = Form.OWN;

    private Builder(String name) {
      this.name = name;
    }

    /** The domain; {@code default} unless set. */
    public Builder domain(String domain) {
      this.domain = domain;
      return this;
    }

    /** What its buckets are kept under; the name unless set. */
    public Builder id(String id) {
      this.id = id;
      return this;
    }

    /** The requests that it is for; every one unless set. */
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

    /** What it charges; the request's own cost unless set. */
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
    public Builder variants(List<Variant> variants) {
      this.variants = variants;
      return this;
    }

    /** How seriously it is taken. */
    public Builder policy(Policy policy) {
      this.policy = policy;
      return this;
    }

    /** Where it stands. */
    public Builder place(Place place) {
      this.place = place;
      return this;
    }

    /** How it was written; in Weir's own form unless set. */
    public Builder form(Form form) {
      this.form = form;
      return this;
    }

    /** The rule. */
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
          variants,
          policy,
          place,
          form);
    }
  }
}
