package io.weir.rules;

import io.weir.rules.engine.CompiledDomain;
import io.weir.rules.engine.LimitGroups;
import io.weir.rules.engine.PendingCharge;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorMatch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All rules in force at one moment, compiled for matching. Immutable and thread-safe. */
public final class RuleSet {
  private final List<Domain> domains;
  private final Map<String, Domain> byName;
  private final List<CompiledDomain> compiled;
  private final Map<String, CompiledDomain> compiledByName = new HashMap<>();
  private final List<LimitGroup> limitGroups;
  private final int limitGroupsOfRules;

  private RuleSet(List<Domain> domains) {
    this.domains = List.copyOf(domains);
    requireUniqueNames(domains);
    this.byName = domains.stream().collect(Collectors.toMap(Domain::name, Function.identity()));
    LimitGroups numbered = new LimitGroups();
    this.compiled = domains.stream().map(domain -> new CompiledDomain(domain, numbered)).toList();
    this.limitGroupsOfRules = numbered.all().size();
    for (int i = 0; i < domains.size(); i++) {
      compiled.get(i).addDescriptors(numbered);
      compiledByName.put(domains.get(i).name(), compiled.get(i));
    }
    this.limitGroups = numbered.all();
  }

  /**
   * The rules of these domains.
   *
   * @throws IllegalArgumentException if a domain, or a rule within its domain, occurs twice
   */
  public static RuleSet of(List<Domain> domains) {
    return new RuleSet(domains);
  }

  /** The rules of one domain. */
  public static RuleSet of(Domain domain) {
    return of(List.of(domain));
  }

  private static void requireUniqueNames(List<Domain> domains) {
    Set<String> names = new HashSet<>();
    for (Domain domain : domains) {
      if (!names.add(domain.name())) {
        throw new IllegalArgumentException("domain '" + domain.name() + "' occurs twice");
      }
      Set<String> ids = new HashSet<>();
      for (Rule rule : domain.rules()) {
        if (!ids.add(rule.id())) {
          throw new IllegalArgumentException(
              "rule '" + rule.id() + "' occurs twice in domain '" + domain.name() + "'");
        }
      }
    }
  }

  /** The charges of the rules that apply to {@code request}, in the order of the files. */
  public List<PendingCharge> charges(Request request) {
    List<PendingCharge> charges = new ArrayList<>(2);
    for (int i = 0; i < compiled.size(); i++) {
      compiled.get(i).addCharges(request, charges);
    }
    return charges;
  }

  /**
   * The limits of each descriptor of one request to {@code domain}, in their order.
   *
   * @throws io.weir.rules.match.MalformedRequestException if a limit in a descriptor is invalid
   */
  public List<DescriptorMatch> find(String domain, List<Descriptor> descriptors) {
    Domain known = byName.get(domain);
    if (known == null) {
      return Collections.nCopies(descriptors.size(), new DescriptorMatch.UnknownDomain());
    }
    return DescriptorMatch.settle(descriptors.stream().map(known.descriptors()::find).toList());
  }

  /** The domains. */
  public List<Domain> domains() {
    return domains;
  }

  /** The rules of all domains. */
  public List<Rule> rules() {
    return domains.stream().flatMap(domain -> domain.rules().stream()).toList();
  }

  /**
   * The limits of all rules that are not off, and of their variants, by number; then those of all
   * descriptors.
   */
  public List<LimitGroup> limitGroups() {
    return limitGroups;
  }

  /** Whether these are limits of a descriptor. */
  public boolean isOfDescriptors(LimitGroup limitGroup) {
    return limitGroup.number() >= limitGroupsOfRules;
  }

  /** A domain, compiled for matching; null if there is none of that name. */
  @Nullable
  public CompiledDomain domain(String name) {
    return compiledByName.get(name);
  }
}
