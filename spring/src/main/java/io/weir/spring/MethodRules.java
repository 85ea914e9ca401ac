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
  private final Map<String, Rule> written = new LinkedHashMap<>();
  private final Set<String> named = ConcurrentHashMap.newKeySet();

  MethodRules(RuleFeed feed) {
    this.feed = feed;
  }

  /** Adds a rule that an annotation writes out, unless one of its name is there. */
  synchronized void add(Rule rule) {
    if (written.putIfAbsent(rule.name(), rule) == null) {
      feed.add(new Domain(DOMAIN, Map.of(), written.values().stream().toList()));
    }
  }

  /** An annotation names this rule of the files. */
  void name(String rule) {
    named.add(rule);
  }

  /** Whether a rule is decided where methods are called. */
  boolean has(Rule rule) {
    return rule.domain().equals(DOMAIN) || named.contains(rule.name());
  }

  /** How many rules annotations write out. */
  synchronized int count() {
    return written.size();
  }
}
