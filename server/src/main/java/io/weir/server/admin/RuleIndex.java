package io.weir.server.admin;

import io.weir.Limit;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleCounters;
import io.weir.insight.whatif.LimitFormatter;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules in force by their labels in metrics, in the order of the files. */
final class RuleIndex {
  private final RuleSet rules;
  private final List<Entry> entries;
  private final Map<Policy.Mode, Integer> modes = new EnumMap<>(Policy.Mode.class);

  private RuleIndex(RuleSet rules, List<Entry> entries) {
    this.rules = rules;
    this.entries = entries;
    List.of(Policy.Mode.values()).forEach(mode -> modes.put(mode, 0));
    for (Domain domain : rules.domains()) {
      domain.allRules().forEach(rule -> modes.merge(rule.policy().mode(), 1, Integer::sum));
    }
  }

  /** The rules in force; {@code known} itself if it is still current. */
  @SuppressWarnings("ReferenceEquality") // an unchanged rule set is the same object
  static RuleIndex of(DecisionEngine decisionEngine, @Nullable RuleIndex known) {
    RuleSet rules = decisionEngine.rules();
    return known != null && known.rules == rules
        ? known
        : new RuleIndex(rules, entries(decisionEngine));
  }

  private static List<Entry> entries(DecisionEngine decisionEngine) {
    Map<String, Entry> found = new LinkedHashMap<>();
    for (Domain domain : decisionEngine.rules().domains()) {
      for (Rule rule : domain.allRules()) {
        String label =
            String.valueOf(decisionEngine.decisionCounters().name(rule, decisionEngine::rules));
        found.merge(label, Entry.of(label, rule, domain), Entry::and);
      }
    }
    for (RuleCounters each : decisionEngine.decisionCounters().rules(decisionEngine::rules)) {
      found.computeIfAbsent(each.label(), Entry::ofCallers);
    }
    return List.copyOf(found.values());
  }

  List<Entry> entries() {
    return entries;
  }

  /** How many rules there are in each mode; rules that share a name count one by one. */
  Map<Policy.Mode, Integer> modes() {
    return modes;
  }

  /** An override of a rule, and its limits in words. */
  record OverrideLimits(String name, List<String> limits) {}

  /**
   * A rule, or several of the Envoy form that share a name.
   *
   * @param rule the first; null: limits sent with requests
   * @param overrides of the one rule of that name
   * @param rules how many share the name
   */
  record Entry(
      String label,
      String domain,
      @Nullable Rule rule,
      List<String> limits,
      List<OverrideLimits> overrides,
      int rules) {
    private static final int MAX_LIMITS = 20;

    private static Entry of(String label, Rule rule, Domain domain) {
      List<OverrideLimits> overrides = new ArrayList<>();
      List<String> names = RuleLimits.of(rule, domain).names();
      for (int i = 0; i < names.size(); i++) {
        overrides.add(
            new OverrideLimits(names.get(i), words(rule.ruleOverrides().get(i).limits())));
      }
      return new Entry(label, rule.domain(), rule, words(rule.limits()), overrides, 1);
    }

    private static List<String> words(List<Limit> limits) {
      return limits.stream().map(LimitFormatter::of).toList();
    }

    private static Entry ofCallers(String label) {
      return new Entry(label, label.replace(" (overrides)", ""), null, List.of(), List.of(), 0);
    }

    private Entry and(Entry other) {
      List<String> both = new ArrayList<>(limits);
      for (String limit : other.limits) {
        if (!both.contains(limit) && both.size() < MAX_LIMITS) {
          both.add(limit);
        }
      }
      return new Entry(
          label, domain, isOff() ? other.rule : rule, both, List.of(), rules + other.rules);
    }

    /** The reason why another limit cannot be tried on it; null if it can. */
    @Nullable String untried() {
      if (rule == null) {
        return "these limits are sent with requests: there is no configured limit to change";
      } else if (rules > 1) {
        return rules + " limits share this name, and are counted as one";
      }
      return isOff() ? WhatIfEndpoint.OFF : null;
    }

    boolean isOff() {
      return rule != null && rule.policy().mode() == Policy.Mode.OFF;
    }
  }
}
