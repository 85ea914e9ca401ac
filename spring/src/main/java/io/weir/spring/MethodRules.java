package io.weir.spring;

import io.weir.arbiter.RuleFeed;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rules of methods: those that annotations write out, which are added to the rules in force as
 * a domain of their own, and those of the files that annotations name. Both are decided where the
 * method is called, and by no filter.
 */
final class MethodRules {
  /** No file is likely to have a domain of this name. */
  static final String DOMAIN = "@RateLimited";

  private final RuleFeed feed;
  private final Map<String, Written> written = new LinkedHashMap<>();
  private final Map<String, Set<String>> named = new ConcurrentHashMap<>(); // domains by name

  MethodRules(RuleFeed feed) {
    this.feed = feed;
  }

  /** A rule that an annotation writes out, and what the annotation is on. */
  private record Written(Rule rule, String owner) {
    boolean isAsGoodAs(Rule other) {
      return rule.limits().equals(other.limits())
          && rule.per().equals(other.per())
          && rule.cost().equals(other.cost());
    }
  }

  /**
   * Adds a rule that an annotation writes out, unless it is there.
   *
   * @param owner the method or class that it is on
   * @param isShared whether the annotation gives the name, which others may give to the same limit
   * @throws IllegalArgumentException if something else has a rule of its name
   */
  synchronized void add(Rule rule, String owner, boolean isShared) {
    Written before = written.putIfAbsent(rule.name(), new Written(rule, owner));
    if (before == null) {
      feed.add(new Domain(DOMAIN, Map.of(), written.values().stream().map(Written::rule).toList()));
    } else if (!before.owner.equals(owner) && !(isShared && before.isAsGoodAs(rule))) {
      throw new IllegalArgumentException(
          "would be called '%s', as is that on %s, which has %s; give one of them a 'name'"
              .formatted(
                  rule.name(),
                  before.owner,
                  before.isAsGoodAs(rule) ? "a limit of its own" : "another limit"));
    }
  }

  /** An annotation names this rule of the files. */
  void name(Rule rule) {
    named.computeIfAbsent(rule.name(), any -> ConcurrentHashMap.newKeySet()).add(rule.domain());
  }

  /** Whether a rule is decided where methods are called. */
  boolean has(Rule rule) {
    if (rule.domain().equals(DOMAIN)) {
      return true;
    }
    Set<String> domains = named.get(rule.name());
    return domains != null && domains.contains(rule.domain());
  }
}
