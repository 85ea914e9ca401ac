package io.weir.rules.lint;

import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A rule set, prepared for the checks. */
record LintContext(RuleSet rules, List<InspectedDomain> territories) {
  static LintContext of(RuleSet rules) {
    return new LintContext(rules, rules.domains().stream().map(InspectedDomain::of).toList());
  }

  /** The rules of all domains that are not off. */
  List<InspectedRule> inspectedRules() {
    List<InspectedRule> all = new ArrayList<>();
    territories.forEach(inspectedDomain -> all.addAll(inspectedDomain.inspectedRules()));
    return all;
  }

  /** A domain, and its rules that are not off. */
  record InspectedDomain(
      Domain domain, DomainAttributes domainAttributes, List<InspectedRule> inspectedRules) {
    /**
     * The keys that Envoy uses for descriptor entries without a configured name; no HTTP front end
     * has them.
     */
    private static final Set<String> OF_ENVOY =
        Set.of(
            "remote_address",
            "masked_remote_address",
            "source_cluster",
            "destination_cluster",
            "generic_key",
            "header_match",
            "query_match");

    private static InspectedDomain of(Domain domain) {
      DomainAttributes domainAttributes = new DomainAttributes(domain.attributes(), keys(domain));
      List<InspectedRule> inspectedRules =
          domain.rules().stream()
              .filter(rule -> rule.policy().mode() != Policy.Mode.OFF)
              .map(rule -> new InspectedRule(rule, domainAttributes))
              .toList();
      return new InspectedDomain(domain, domainAttributes, inspectedRules);
    }

    private static Set<String> keys(Domain domain) {
      Set<String> keys = new HashSet<>();
      addKeys(domain.descriptors().nodes(), keys);
      if (isForEnvoy(domain)) { // any attribute of its rules may be a descriptor key
        domain.rules().forEach(rule -> keys.addAll(rule.attributes()));
      }
      return keys;
    }

    /** Whether its rules use attributes that only Envoy's descriptors have. */
    private static boolean isForEnvoy(Domain domain) {
      return domain.rules().stream()
          .flatMap(rule -> rule.attributes().stream())
          .anyMatch(name -> OF_ENVOY.contains(name) && !domain.attributes().containsKey(name));
    }

    private static void addKeys(List<DescriptorNode> level, Set<String> keys) {
      for (DescriptorNode node : level) {
        keys.add(node.key());
        addKeys(node.children(), keys);
      }
    }

    /** Whether its rules also apply to descriptors. */
    boolean hasDescriptors() {
      return !domain.descriptors().nodes().isEmpty() || isForEnvoy(domain);
    }
  }
}
