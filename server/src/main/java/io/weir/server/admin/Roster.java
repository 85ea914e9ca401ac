package io.weir.server.admin;

import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.server.Arbiter;
import io.weir.server.RuleTally;
import io.weir.server.seeing.LimitText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules in force by what they are called in metrics, in the order of the files. */
final class Roster {
  private final RuleSet rules;
  private final List<Entry> entries;

  private Roster(RuleSet rules, List<Entry> entries) {
    this.rules = rules;
    this.entries = entries;
  }

  /** Of the rules in force; {@code known} itself if that is still it. */
  @SuppressWarnings("ReferenceEquality") // the same rules are the very same
  static Roster of(Arbiter arbiter, @Nullable Roster known) {
    RuleSet rules = arbiter.rules();
    return known != null && known.rules == rules ? known : new Roster(rules, entries(arbiter));
  }

  private static List<Entry> entries(Arbiter arbiter) {
    Map<String, Entry> found = new LinkedHashMap<>();
    for (Domain domain : arbiter.rules().domains()) {
      for (Rule rule : domain.allRules()) {
        String label = arbiter.tally().label(rule, arbiter::rules);
        if (label == null) { // it is off, and not counted
          label = found.containsKey(rule.name()) ? rule.domain() + "/" + rule.name() : rule.name();
        }
        found.merge(label, Entry.of(label, rule), Entry::and);
      }
    }
    for (RuleTally each : arbiter.tally().rules(arbiter::rules)) {
      found.computeIfAbsent(each.label(), Entry::ofCallers);
    }
    return List.copyOf(found.values());
  }

  List<Entry> entries() {
    return entries;
  }

  /**
   * A rule, or several of the Envoy form that share a name.
   *
   * @param rule the first; null: limits that callers bring along
   */
  record Entry(String label, String domain, @Nullable Rule rule, List<String> limits) {
    private static final int MOST_LIMITS = 20;

    private static Entry of(String label, Rule rule) {
      return new Entry(
          label, rule.domain(), rule, rule.limits().stream().map(LimitText::of).toList());
    }

    private static Entry ofCallers(String label) {
      return new Entry(label, label.replace(" (overrides)", ""), null, List.of());
    }

    private Entry and(Entry other) {
      List<String> both = new ArrayList<>(limits);
      for (String limit : other.limits) {
        if (!both.contains(limit) && both.size() < MOST_LIMITS) {
          both.add(limit);
        }
      }
      return new Entry(label, domain, rule, both);
    }

    Policy.Mode mode() {
      return rule == null ? Policy.DEFAULT.mode() : rule.policy().mode();
    }

    /** Whether it is only tried. */
    boolean isShadow() {
      return rule != null && rule.policy().mode() == Policy.Mode.SHADOW;
    }

    boolean isOff() {
      return rule != null && rule.policy().mode() == Policy.Mode.OFF;
    }
  }
}
