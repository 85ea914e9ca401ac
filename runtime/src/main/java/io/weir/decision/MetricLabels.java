package io.weir.decision;

import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Maps rules to their labels in counters: their names. If several domains have a rule of the same
 * name, even one that is off, only the rule of the default domain keeps the plain name. The others
 * get their domain as a prefix.
 *
 * <p>Labels depend on the rules alone, not on their order or history. So a rule has the same label
 * in every process that has these files.
 */
final class MetricLabels {
  static final MetricLabels NONE = new MetricLabels();

  private final Map<String, Map<String, String>> byName = new HashMap<>(); // by domain, then name
  private final Set<String> taken = new HashSet<>();
  private final Set<String> reserved = new HashSet<>();

  private MetricLabels() {}

  static MetricLabels of(RuleSet rules) {
    MetricLabels metricLabels = new MetricLabels();
    Map<String, Integer> domainCounts = new HashMap<>();
    List<Name> names = new ArrayList<>();
    for (Domain domain : rules.domains()) {
      if (hasOverrides(domain)) {
        metricLabels.reserved.add(ofOverrides(domain));
      }
      Set<String> own = new HashSet<>();
      for (Rule rule : domain.allRules()) {
        if (own.add(rule.name())) { // limits of the Envoy form may share a name
          names.add(new Name(domain.name(), rule.name()));
          domainCounts.merge(rule.name(), 1, Integer::sum);
        }
      }
    }
    for (Name each : names) {
      if (each.isPlain(domainCounts) && !metricLabels.reserved.contains(each.name)) {
        metricLabels.put(each, each.name);
      }
    }
    names.sort(Comparator.comparing(Name::domain).thenComparing(Name::name));
    for (Name each : names) {
      if (metricLabels.of(each.domain, each.name) == null) {
        metricLabels.put(each, metricLabels.free(each));
      }
    }
    return metricLabels;
  }

  /** Whether requests of a domain may carry limits of their own. */
  static boolean hasOverrides(Domain domain) {
    return !domain.descriptors().nodes().isEmpty();
  }

  /** The label for limits that requests of a domain carry. */
  static String ofOverrides(Domain domain) {
    return domain.name() + " (overrides)";
  }

  private void put(Name name, String label) {
    byName.computeIfAbsent(name.domain, any -> new HashMap<>()).put(name.name, label);
    taken.add(label);
  }

  private String free(Name name) {
    String label = name.domain + "/" + name.name;
    while (taken.contains(label) || reserved.contains(label)) {
      label = name.domain + "/" + label; // names of the Envoy form may contain any character
    }
    return label;
  }

  /** Returns null if there is no such rule. */
  @Nullable String of(String domain, String name) {
    return byName.getOrDefault(domain, Map.of()).get(name);
  }

  /** Whether a rule has this label. */
  boolean has(String label) {
    return taken.contains(label);
  }

  /** A rule, or several limits of the Envoy form. */
  private record Name(String domain, String name) {
    /**
     * Whether the name needs no domain prefix.
     *
     * @param domainCounts how many domains have each name
     */
    boolean isPlain(Map<String, Integer> domainCounts) {
      return domain.equals(Rule.DEFAULT_DOMAIN) || domainCounts.getOrDefault(name, 0) == 1;
    }
  }
}
