package io.weir.rules;

import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules of a domain, compiled for matching. */
final class CompiledDomain {
  private final Domain domain;
  private final Attributes attributes;
  private final MatchIndex<CompiledRule> rules;
  private final List<CompiledRule> compiled = new ArrayList<>();
  private final @Nullable Meter[] ofDescriptors;

  CompiledDomain(Domain domain, Meters meters) {
    this.domain = domain;
    attributes = new Attributes(domain.attributes());
    attributes.placeAll(domain.active());
    List<MatchIndex.Entry<CompiledRule>> entries = new ArrayList<>();
    for (Rule rule : domain.active()) {
      CompiledRule ready = new CompiledRule(rule, attributes, meters);
      compiled.add(ready);
      entries.add(new MatchIndex.Entry<>(ready.match(), ready));
    }
    rules = MatchIndex.of(entries, attributes::place);
    attributes.complete();
    ofDescriptors = new Meter[domain.descriptors().limits().size()];
  }

  /** Whether there are any rules of Weir's own form. */
  boolean hasRules() {
    return !compiled.isEmpty();
  }

  /** Creates the meters of descriptors, after those of all rules. */
  void addDescriptors(Meters meters) {
    for (DescriptorLimit limit : domain.descriptors().limits()) {
      if (!limit.rule().limits().isEmpty()) {
        ofDescriptors[limit.number()] = meters.add(limit.rule());
      }
    }
  }

  /** Finds what limits a descriptor. Replaced limits are not removed yet. */
  Finding find(Descriptor descriptor) {
    return domain.descriptors().find(descriptor);
  }

  /** The meter of a limit in the tree that is not unlimited. */
  Meter meter(DescriptorLimit limit) {
    return Objects.requireNonNull(ofDescriptors[limit.number()]);
  }

  /**
   * The key of the bucket of a rule for the caller {@code who}; null if there is no such rule.
   *
   * @throws io.weir.rules.match.MalformedRequestException if an attribute is missing
   */
  @Nullable String keyOf(Rule rule, Request who) {
    for (CompiledRule each : compiled) {
      if (each.rule().id().equals(rule.id())) {
        return each.keyOf(new RequestFacts(attributes, who));
      }
    }
    for (DescriptorLimit limit : domain.descriptors().limits()) {
      if (limit.rule().id().equals(rule.id())) {
        return limit.keyOf(who);
      }
    }
    return null;
  }

  /** The limits of {@code rule} that apply: see {@link CompiledRule#applying}. */
  Optional<Meter> applying(Rule rule, Request who) {
    for (CompiledRule each : compiled) {
      if (each.rule().id().equals(rule.id())) {
        return each.applying(new RequestFacts(attributes, who));
      }
    }
    return Optional.empty();
  }

  /** Adds the claims of the rules that apply to a request, in the order of the file. */
  void addClaims(Request request, List<Claim> claims) {
    if (compiled.isEmpty()) {
      return;
    }
    RequestFacts facts = new RequestFacts(attributes, request);
    List<CompiledRule> matching = new ArrayList<>(4);
    rules.all(facts, matching);
    for (int i = 0; i < matching.size(); i++) {
      CompiledRule rule = matching.get(i);
      Claim claim = request.concerns(rule.rule()) ? rule.claim(facts) : null;
      if (claim != null) {
        claims.add(claim);
      }
    }
  }
}
