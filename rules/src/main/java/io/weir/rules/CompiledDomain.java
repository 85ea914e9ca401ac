package io.weir.rules;

import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;

/** The rules of a domain, made ready to be asked. */
final class CompiledDomain {
  private final Attributes attributes;
  private final MatchIndex<CompiledRule> rules;

  CompiledDomain(Domain domain, Meters meters) {
    attributes = new Attributes(domain.attributes());
    attributes.placeAll(domain.active());
    List<MatchIndex.Entry<CompiledRule>> entries = new ArrayList<>();
    for (Rule rule : domain.active()) {
      CompiledRule compiled = new CompiledRule(rule, attributes, meters);
      entries.add(new MatchIndex.Entry<>(compiled.match(), compiled));
    }
    rules = MatchIndex.of(entries, attributes::place);
    attributes.complete();
  }

  /** Adds what the rules that apply want of a request, in the order of the file. */
  void addClaims(Request request, List<Claim> claims) {
    RequestFacts facts = new RequestFacts(attributes, request);
    List<CompiledRule> matching = new ArrayList<>();
    rules.all(facts, matching);
    for (CompiledRule rule : matching) {
      Claim claim = rule.claim(facts);
      if (claim != null) {
        claims.add(claim);
      }
    }
  }
}
