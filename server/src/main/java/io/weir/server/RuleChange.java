package io.weir.server;

import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.text.Excerpt;
import io.weir.server.logs.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is different between two sets of rules, by the names of rules.
 *
 * @param rules how many there are now
 * @param attributes whether attributes come from elsewhere than before
 */
public record RuleChange(
    int rules, List<String> added, List<Edit> changed, List<String> removed, boolean attributes) {
  private static final int MOST_NAMED = 5;

  /** What is different from {@code before} in {@code after}. */
  public static RuleChange between(RuleSet before, RuleSet after) {
    Map<String, Rule> old = byIdentity(before);
    Map<String, Rule> present = byIdentity(after);
    List<String> added = new ArrayList<>();
    List<Edit> changed = new ArrayList<>();
    List<String> removed = new ArrayList<>();
    present.forEach(
        (id, rule) -> {
          Rule was = old.get(id);
          if (was == null) {
            added.add(rule.name());
          } else if (!meaning(was).equals(meaning(rule))) {
            changed.add(Edit.of(was, rule));
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
        .with("changed", changed.stream().map(Edit::rule).toList())
        .with("removed", removed)
        .with("attributes_changed", attributes);
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
    List<String> shown = names.stream().limit(MOST_NAMED).map(name -> "'" + name + "'").toList();
    int more = names.size() - shown.size();
    return "; "
        + what
        + " "
        + String.join(", ", shown)
        + (more > 0 ? " and " + more + " more" : "");
  }

  /**
   * What is different about a rule, in words; nothing is said of what stayed.
   *
   * @param rule its name now
   */
  public record Edit(String rule, String before, String after) {
    private static final int LONGEST = 300;

    static Edit of(Rule was, Rule is) {
      Map<String, String> before = parts(was);
      Map<String, String> after = parts(is);
      List<String> gone = new ArrayList<>();
      List<String> come = new ArrayList<>();
      after.forEach(
          (part, text) -> {
            String other = before.getOrDefault(part, "");
            if (!other.equals(text)) {
              gone.add(words(part, other));
              come.add(words(part, text));
            }
          });
      return new Edit(is.name(), text(gone), text(come));
    }

    private static String text(List<String> words) {
      return Excerpt.of(String.join("; ", words), LONGEST);
    }

    private static String words(String part, String text) {
      String said = text.isEmpty() ? "none" : text;
      return part.equals("limit") ? said : part + " " + said;
    }

    private static Map<String, String> parts(Rule rule) {
      Map<String, String> parts = new LinkedHashMap<>();
      parts.put("limit", joined(rule.limits()));
      parts.put("name", rule.name());
      parts.put("per", String.join(", ", rule.per()));
      parts.put("match", rule.match().toString());
      parts.put("exempt", joined(rule.exempt()));
      parts.put("cost", cost(rule.cost()));
      parts.put(
          "overrides",
          rule.variants().stream()
              .map(each -> each.id() + ": " + each.match() + ": " + joined(each.limits()))
              .collect(Collectors.joining(", ")));
      parts.put("mode", rule.policy().mode().toString());
      parts.put("on_failure", rule.policy().onFailure().name().toLowerCase(Locale.ROOT));
      parts.put("consistency", rule.policy().consistency().toString());
      return parts;
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
}
