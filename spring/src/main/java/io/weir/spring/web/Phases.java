package io.weir.spring.web;

import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.runtime.Node;
import io.weir.spring.method.MethodRules;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When each rule is checked: before authentication, behind it, or where a method is called. Each
 * rule has one phase, so that no rule charges a request twice.
 *
 * <p>Rules that use the principal, directly or through derived attributes, are checked behind
 * authentication. All others are checked before it, so that password guessing is limited too.
 */
public final class Phases {
  private final Node node;
  private final MethodRules methods;
  private final String principal;
  private final Phase early = new Phase(this, false);
  private final Phase late = new Phase(this, true);
  private volatile @Nullable PhaseAssignment phaseAssignment;

  public Phases(Node node, MethodRules methods, String principal) {
    this.node = node;
    this.methods = methods;
    this.principal = principal;
  }

  /** Before authentication. */
  public Phase early() {
    return early;
  }

  /** Behind authentication. */
  public Phase late() {
    return late;
  }

  /** The attribute name of the user in rules. */
  public String principal() {
    return principal;
  }

  /** Whether a rule is checked before authentication. */
  public boolean isEarly(Rule rule) {
    return !methods.has(rule) && !needsPrincipal(rule);
  }

  /** Whether a rule is checked behind authentication. */
  public boolean isLate(Rule rule) {
    return !methods.has(rule) && needsPrincipal(rule);
  }

  /** Whether any rule in force is checked behind authentication. */
  boolean hasLate() {
    return !phaseAssignment().late.isEmpty();
  }

  private boolean needsPrincipal(Rule rule) {
    PhaseAssignment now = phaseAssignment();
    return now.all.contains(rule) ? now.late.contains(rule) : uses(rule, principal, now.rules);
  }

  @SuppressWarnings("ReferenceEquality") // usually the same rules as before
  private PhaseAssignment phaseAssignment() {
    RuleSet rules = node.rules();
    PhaseAssignment before = phaseAssignment;
    if (before == null || before.rules != rules) {
      before = known(rules);
      phaseAssignment = before;
    }
    return before;
  }

  private PhaseAssignment known(RuleSet rules) {
    Set<Rule> all = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Rule> late = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Domain domain : rules.domains()) {
      for (Rule rule : domain.rules()) {
        all.add(rule);
        if (uses(rule, principal, domain.attributes())) {
          late.add(rule);
        }
      }
    }
    return new PhaseAssignment(rules, all, late);
  }

  /** Whether a rule uses an attribute, directly or through others that are derived from it. */
  public boolean uses(Rule rule, String wanted) {
    return uses(rule, wanted, phaseAssignment().rules);
  }

  /** Also correct for a request in flight when the rules were replaced. */
  private static boolean uses(Rule rule, String wanted, RuleSet rules) {
    for (Domain domain : rules.domains()) {
      if (domain.name().equals(rule.domain())) {
        return uses(rule, wanted, domain.attributes());
      }
    }
    return rule.attributes().contains(wanted);
  }

  private static boolean uses(Rule rule, String wanted, Map<String, AttributeSource> sources) {
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(rule.attributes());
    while (!open.isEmpty()) {
      String attribute = open.pop();
      if (attribute.equals(wanted)) {
        return true;
      }
      AttributeSource source = sources.get(attribute);
      if (source != null && seen.add(attribute)) {
        open.addAll(source.attributes());
      }
    }
    return false;
  }

  /** The phases of the rules of one set. */
  private record PhaseAssignment(RuleSet rules, Set<Rule> all, Set<Rule> late) {}
}
