package io.weir.server;

import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.server.logs.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is different between two sets of rules, by the names of rules.
 *
 * @param attributes whether attributes come from elsewhere than before
 */
record RuleChange(
    int rules, List<String> added, List<String> changed, List<String> removed, boolean attributes) {
  private static final int MOST_NAMED = 5;

  static RuleChange between(RuleSet before, RuleSet after) {
    Map<String, Rule> old = byIdentity(before);
    Map<String, Rule> present = byIdentity(after);
    List<String> added = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    List<String> removed = new ArrayList<>();
    present.forEach(
        (id, rule) -> {
          Rule was = old.get(id);
          if (was == null) {
            added.add(rule.name());
          } else if (!meaning(was).equals(meaning(rule))) {
            changed.add(rule.name());
          }
        });
    old.forEach(
        (id, rule) -> {
          if (!present.containsKey(id)) {
            removed.add(rule.name());
          }
        });
    boolean attributes = !sources(before).equals(sources(after));
    return new RuleChange(present.size(), added, changed, removed, attributes);
  }

  private static Map<String, Rule> byIdentity(RuleSet rules) {
    Map<String, Rule> found = new LinkedHashMap<>();
    for (Domain domain : rules.domains()) {
      domain.rules().forEach(rule -> found.put("rule " + domain.name() + " " + rule.id(), rule));
      domain
          .descriptors()
          .limits()
          .forEach(
              limit ->
                  found.put("descriptor " + domain.name() + " " + limit.rule().id(), limit.rule()));
    }
    return found;
  }

  /** All of a rule but where it stands. */
  private static List<Object> meaning(Rule rule) {
    List<Object> variants = new ArrayList<>();
    rule.variants().forEach(each -> variants.add(List.of(each.id(), each.match(), each.limits())));
    return List.of(
        rule.name(),
        rule.match(),
        rule.exempt(),
        rule.per(),
        rule.cost(),
        rule.limits(),
        variants,
        rule.policy());
  }

  private static Map<String, Object> sources(RuleSet rules) {
    Map<String, Object> sources = new LinkedHashMap<>();
    rules.domains().forEach(domain -> sources.put(domain.name(), domain.attributes()));
    return sources;
  }

  /** As a line of the log. */
  Entry entry() {
    return Entry.of("rules reloaded: " + this)
        .with("rules", rules)
        .with("added", added)
        .with("changed", changed)
        .with("removed", removed)
        .with("attributes_changed", attributes);
  }

  /** {@code 3 rules; added 'a'; changed 'b', 'c'}. */
  @Override
  public String toString() {
    String text = rules + (rules == 1 ? " rule" : " rules");
    text += part("added", added) + part("changed", changed) + part("removed", removed);
    text += attributes ? "; attributes changed" : "";
    return added.isEmpty() && changed.isEmpty() && removed.isEmpty() && !attributes
        ? text + ", the same as before"
        : text;
  }

  private static String part(String what, List<String> names) {
    if (names.isEmpty()) {
      return "";
    }
    List<String> shown = names.stream().limit(MOST_NAMED).map(name -> "'" + name + "'").toList();
    int more = names.size() - shown.size();
    return "; "
        + what
        + " "
        + String.join(", ", shown)
        + (more > 0 ? " and " + more + " more" : "");
  }
}
