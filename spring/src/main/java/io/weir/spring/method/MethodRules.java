package io.weir.spring.method;

import io.weir.decision.RuleSource;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rules of methods. Limits written in annotations are added to the rules in force in a separate
 * domain. Rules of files that annotations name are checked where the method is called. No filter
 * checks either.
 */
public final class MethodRules {
  /** No file is likely to have a domain of this name. */
  static final String DOMAIN = "@RateLimited";

  private final RuleSource feed;
  private final Map<String, InlineRule> inlineRule = new LinkedHashMap<>();
  private final Map<String, Set<String>> named = new ConcurrentHashMap<>(); // domains by rule name

  public MethodRules(RuleSource feed) {
    this.feed = feed;
  }

  /** A rule written in an annotation, and the element that carries the annotation. */
  private record InlineRule(Rule rule, String owner) {
    boolean isAsGoodAs(Rule other) {
      return rule.limits().equals(other.limits())
          && rule.per().equals(other.per())
          && rule.cost().equals(other.cost());
    }
  }

  /**
   * Adds a rule written in an annotation, unless it exists.
   *
   * @param owner the method or class with the annotation
   * @param isShared whether the annotation sets the name, so that several may share the limit
   * @throws IllegalArgumentException if a different rule has its name
   */
  synchronized void add(Rule rule, String owner, boolean isShared) {
    InlineRule before = inlineRule.putIfAbsent(rule.name(), new InlineRule(rule, owner));
    if (before == null) {
      feed.add(
          new Domain(
              DOMAIN, Map.of(), inlineRule.values().stream().map(InlineRule::rule).toList()));
    } else if (!before.owner.equals(owner) && !(isShared && before.isAsGoodAs(rule))) {
      throw new IllegalArgumentException(
          "would be called '%s', as the one on %s, which has %s; give one of them a 'name'"
              .formatted(
                  rule.name(),
                  before.owner,
                  before.isAsGoodAs(rule) ? "a limit of its own" : "another limit"));
    }
  }

  /** Records that an annotation names this rule of a file. */
  void name(Rule rule) {
    named.computeIfAbsent(rule.name(), any -> ConcurrentHashMap.newKeySet()).add(rule.domain());
  }

  /** Whether a rule is checked where methods are called. */
  public boolean has(Rule rule) {
    if (rule.domain().equals(DOMAIN)) {
      return true;
    }
    Set<String> domains = named.get(rule.name());
    return domains != null && domains.contains(rule.domain());
  }
}
