package io.weir.decision;

import io.weir.logs.LogEntry;
import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.RuleSet;
import io.weir.rules.text.Excerpt;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The differences between two rule sets, by rule name.
 *
 * @param rules how many rules there are now
 * @param attributes whether the sources of attributes changed
 */
public record RuleChange(
    int rules, List<String> added, List<Edit> changed, List<String> removed, boolean attributes) {
  private static final int MAX_NAMED = 5;
  private static final int MAX_SHOWN = 10;

  /** The differences from {@code before} to {@code after}. */
  public static RuleChange between(RuleSet before, RuleSet after) {
    Map<String, Rule> oldRules = byIdentity(before);
    Map<String, Rule> newRules = byIdentity(after);
    List<String> added = new ArrayList<>();
    List<Edit> changed = new ArrayList<>();
    List<String> removed = new ArrayList<>();
    newRules.forEach(
        (id, rule) -> {
          Rule old = oldRules.get(id);
          if (old == null) {
            added.add(rule.name());
          } else if (!meaning(old).equals(meaning(rule))) {
            changed.add(Edit.of(old, masking(before, old), rule, masking(after, rule)));
          }
        });
    oldRules.forEach(
        (id, rule) -> {
          if (!newRules.containsKey(id)) {
            removed.add(rule.name());
          }
        });
    boolean attributes = !sources(before).equals(sources(after));
    return new RuleChange(newRules.size(), added, changed, removed, attributes);
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

  private static CredentialMasking masking(RuleSet rules, Rule rule) {
    return rules.domains().stream()
        .filter(domain -> domain.name().equals(rule.domain()))
        .findFirst()
        .map(CredentialMasking::over)
        .orElseThrow();
  }

  /** Everything about a rule except its position in the file. */
  private static List<Object> meaning(Rule rule) {
    List<Object> variants = new ArrayList<>();
    rule.ruleOverrides()
        .forEach(each -> variants.add(List.of(each.id(), each.match(), each.limits())));
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

  /** This change as a log entry. */
  LogEntry logEntry() {
    List<Edit> shown = changed.subList(0, Math.min(MAX_SHOWN, changed.size()));
    return LogEntry.of("rules reloaded: " + this + lines(shown))
        .with("rules", rules)
        .with("added", added)
        .with("changed", names())
        .with("removed", removed)
        .with("changes", shown.stream().map(Edit::logEntry).toList())
        .with("attributes_changed", attributes);
  }

  private String lines(List<Edit> shown) {
    StringBuilder text = new StringBuilder();
    shown.forEach(edit -> text.append("\n  ").append(edit.logEntry()));
    if (changed.size() > shown.size()) {
      text.append("\n  … and ").append(changed.size() - shown.size()).append(" more");
    }
    return text.toString();
  }

  /** {@code 3 rules; added 'a'; changed 'b', 'c'}. */
  @Override
  public String toString() {
    String text = rules + (rules == 1 ? " rule" : " rules");
    text += part("added", added) + part("changed", names()) + part("removed", removed);
    text += attributes ? "; attributes changed" : "";
    return added.isEmpty() && changed.isEmpty() && removed.isEmpty() && !attributes
        ? text + ", the same as before"
        : text;
  }

  private List<String> names() {
    return changed.stream().map(Edit::rule).toList();
  }

  private static String part(String what, List<String> names) {
    if (names.isEmpty()) {
      return "";
    }
    List<String> shown = names.stream().limit(MAX_NAMED).map(name -> "'" + name + "'").toList();
    int more = names.size() - shown.size();
    return "; "
        + what
        + " "
        + String.join(", ", shown)
        + (more > 0 ? " and " + more + " more" : "");
  }

  /**
   * The differences of one rule; unchanged parts are left out.
   *
   * @param rule its name now
   * @param parts what is different, at least one item
   */
  public record Edit(String rule, List<Difference> parts) {
    private static final int MAX_LENGTH = 300;
    private static final int MAX_LOGGED = 120;

    /** Copies the list. */
    public Edit {
      parts = List.copyOf(parts);
    }

    static Edit of(
        Rule oldRule, CredentialMasking oldMasking, Rule newRule, CredentialMasking newMasking) {
      Map<String, String> before = parts(oldRule, oldMasking);
      Map<String, String> after = parts(newRule, newMasking);
      List<Difference> found = new ArrayList<>();
      Set<String> all = new LinkedHashSet<>(after.keySet());
      all.addAll(before.keySet());
      for (String part : all) {
        String old = before.getOrDefault(part, "");
        String present = after.getOrDefault(part, "");
        if (!old.equals(present)) {
          int same = commonPrefixLength(old, present);
          found.add(new Difference(part, without(same, old), without(same, present)));
        }
      }
      String oldOrder = order(oldRule, oldMasking, after);
      String order = order(newRule, newMasking, before);
      if (!oldOrder.equals(order)) {
        found.add(new Difference("order of overrides", oldOrder, order));
      }
      if (found.isEmpty()) { // the difference is in parts that are not shown
        found.add(new Difference("", "values that are not shown", "other values"));
      }
      return new Edit(newRule.name(), found);
    }

    /** The old state, in words. */
    public String before() {
      return text(parts.stream().map(each -> words(each.what(), each.before())).toList());
    }

    /** The new state, in words. */
    public String after() {
      return text(parts.stream().map(each -> words(each.what(), each.after())).toList());
    }

    /** {@code 'a': 10 per second → 20 per second}: abbreviated, but names are complete. */
    LogEntry logEntry() {
      String shown =
          parts.stream()
              .limit(MAX_SHOWN)
              .map(
                  each ->
                      (List.of("", "limit").contains(each.what()) ? "" : each.what() + ": ")
                          + Excerpt.of(each.before(), MAX_LOGGED)
                          + " → "
                          + Excerpt.of(each.after(), MAX_LOGGED))
              .collect(Collectors.joining("; "));
      int more = parts.size() - MAX_SHOWN;
      return LogEntry.of("'" + rule + "': " + shown + (more > 0 ? "; … and " + more + " more" : ""))
          .with("rule", rule)
          .with("before", Excerpt.of(before(), MAX_LOGGED))
          .with("after", Excerpt.of(after(), MAX_LOGGED));
    }

    /** The length of the common beginning of two long texts, which need not be repeated. */
    private static int commonPrefixLength(String one, String other) {
      if (Math.max(one.length(), other.length()) <= MAX_LOGGED / 2) {
        return 0;
      }
      int same = 0;
      while (same < Math.min(one.length(), other.length())
          && one.charAt(same) == other.charAt(same)) {
        same++;
      }
      return Math.max(0, one.lastIndexOf(' ', same - 1));
    }

    private static String without(int beginning, String text) {
      return beginning == 0 ? text : "…" + text.substring(beginning);
    }

    private static String text(List<String> words) {
      return Excerpt.of(String.join("; ", words), MAX_LENGTH);
    }

    private static String words(String part, String text) {
      return part.isEmpty() || part.equals("limit") ? text : part + " " + text;
    }

    private static Map<String, String> parts(Rule rule, CredentialMasking credentialMasking) {
      Map<String, String> parts = new LinkedHashMap<>();
      parts.put("limit", joined(rule.limits()));
      parts.put("name", rule.name());
      parts.put("per", String.join(", ", rule.per()));
      parts.put("match", credentialMasking.of(rule.match()).toString());
      parts.put("exempt", joined(rule.exempt().stream().map(credentialMasking::of).toList()));
      parts.put("cost", cost(rule.cost()));
      List<String> overrides = credentialMasking.names(rule);
      for (int i = 0; i < overrides.size(); i++) {
        RuleOverride ruleOverride = rule.ruleOverrides().get(i);
        String limits = joined(ruleOverride.limits());
        parts.put(
            "override " + overrides.get(i),
            ruleOverride.name().isEmpty()
                ? limits
                : credentialMasking.of(ruleOverride.match()) + ": " + limits);
      }
      parts.put("mode", rule.policy().mode().toString());
      parts.put("on_failure", rule.policy().onFailure().name().toLowerCase(Locale.ROOT));
      parts.put("consistency", rule.policy().consistency().toString());
      return parts;
    }

    /**
     * The overrides that {@code other} has too. Their order matters because the first match
     * applies.
     */
    private static String order(
        Rule rule, CredentialMasking credentialMasking, Map<String, String> other) {
      return credentialMasking.names(rule).stream()
          .filter(each -> other.containsKey("override " + each))
          .collect(Collectors.joining(", "));
    }

    private static String joined(List<?> things) {
      return things.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String cost(Cost cost) {
      if (cost instanceof Cost.Fixed fixed) {
        return String.valueOf(fixed.permits());
      }
      return cost instanceof Cost.OfAttribute of ? "of " + of.attribute() : "of the request";
    }
  }

  /**
   * One difference of a rule.
   *
   * @param what {@code limit}, {@code mode}, {@code override free}; empty where it is not shown
   */
  public record Difference(String what, String before, String after) {
    /** An empty state is written as none. */
    public Difference {
      before = before.isEmpty() ? "none" : before;
      after = after.isEmpty() ? "none" : after;
    }
  }
}
