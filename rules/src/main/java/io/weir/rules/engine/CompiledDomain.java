package io.weir.rules.engine;

import io.weir.rules.Domain;
import io.weir.rules.LimitGroup;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorLimit;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.match.MatchIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules of a domain, compiled for matching. */
public final class CompiledDomain {
  private final Domain domain;
  private final AttributeIndex attributeIndex;
  private final MatchIndex<CompiledRule> rules;
  private final List<CompiledRule> compiled = new ArrayList<>();
  private final @Nullable LimitGroup[] ofDescriptors;

  public CompiledDomain(Domain domain, LimitGroups limitGroups) {
    this.domain = domain;
    attributeIndex = new AttributeIndex(domain.attributes());
    attributeIndex.placeAll(domain.active());
    List<MatchIndex.Entry<CompiledRule>> entries = new ArrayList<>();
    for (Rule rule : domain.active()) {
      CompiledRule ready = new CompiledRule(rule, attributeIndex, limitGroups);
      compiled.add(ready);
      entries.add(new MatchIndex.Entry<>(ready.match(), ready));
    }
    rules = MatchIndex.of(entries, attributeIndex::place);
    attributeIndex.complete();
    ofDescriptors = new LimitGroup[domain.descriptors().limits().size()];
  }

  /** Whether there are any rules of Weir's own form. */
  public boolean hasRules() {
    return !compiled.isEmpty();
  }

  /** Creates the limit groups of descriptors, after those of all rules. */
  public void addDescriptors(LimitGroups limitGroups) {
    for (DescriptorLimit limit : domain.descriptors().limits()) {
      if (!limit.rule().limits().isEmpty()) {
        ofDescriptors[limit.number()] = limitGroups.add(limit.rule());
      }
    }
  }

  /** Finds what limits a descriptor. Replaced limits are not removed yet. */
  public DescriptorMatch find(Descriptor descriptor) {
    return domain.descriptors().find(descriptor);
  }

  /** The limit group of a limit in the tree that is not unlimited. */
  public LimitGroup limitGroup(DescriptorLimit limit) {
    return Objects.requireNonNull(ofDescriptors[limit.number()]);
  }

  /**
   * The key of the bucket of a rule for {@code caller}; null if there is no such rule.
   *
   * @throws io.weir.rules.match.MalformedRequestException if an attribute is missing
   */
  @Nullable
  public String keyOf(Rule rule, Request caller) {
    for (CompiledRule each : compiled) {
      if (each.rule().id().equals(rule.id())) {
        return each.keyOf(new RequestAttributes(attributeIndex, caller));
      }
    }
    for (DescriptorLimit limit : domain.descriptors().limits()) {
      if (limit.rule().id().equals(rule.id())) {
        return limit.keyOf(caller);
      }
    }
    return null;
  }

  /** The limits of {@code rule} that apply: see {@link CompiledRule#applying}. */
  public Optional<LimitGroup> applying(Rule rule, Request caller) {
    for (CompiledRule each : compiled) {
      if (each.rule().id().equals(rule.id())) {
        return each.applying(new RequestAttributes(attributeIndex, caller));
      }
    }
    return Optional.empty();
  }

  /** Adds the charges of the rules that apply to a request, in the order of the file. */
  public void addCharges(Request request, List<PendingCharge> charges) {
    if (compiled.isEmpty()) {
      return;
    }
    RequestAttributes attributes = new RequestAttributes(attributeIndex, request);
    List<CompiledRule> matching = new ArrayList<>(4);
    rules.all(attributes, matching);
    for (int i = 0; i < matching.size(); i++) {
      CompiledRule rule = matching.get(i);
      PendingCharge charge = request.concerns(rule.rule()) ? rule.charge(attributes) : null;
      if (charge != null) {
        charges.add(charge);
      }
    }
  }
}
