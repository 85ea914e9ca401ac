package io.weir.insight;

import io.weir.decision.CredentialMasking;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleCounters;
import io.weir.insight.event.KeyTruncation;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Maps rule numbers to the rules in force. */
final class RuleNumbers {
  private final DecisionEngine decisionEngine;
  private final Consumer<RuleCallers> onRemoved;
  private final CallerIds callerIds = new CallerIds();
  private @Nullable RuleSet known;
  private Map<Integer, RuleCallers> byNumber = new HashMap<>();
  private Map<String, RuleCallers> byLabel = new HashMap<>();

  /**
   * @param onRemoved is notified of each rule that was removed or now applies to other callers
   */
  RuleNumbers(DecisionEngine decisionEngine, Consumer<RuleCallers> onRemoved) {
    this.decisionEngine = decisionEngine;
    this.onRemoved = onRemoved;
  }

  /** Updates to the rules in force. */
  void renew() {
    RuleSet now = decisionEngine.rules();
    if (now == known) {
      return;
    }
    known = now;
    Map<Integer, RuleCallers> old = byNumber;
    byNumber = new HashMap<>();
    byLabel = new HashMap<>();
    Collection<RuleCounters> rules = decisionEngine.decisionCounters().rules(decisionEngine::rules);
    int registers = registers(rules.size());
    Map<String, Named> named = named(now);
    // shared, because nearly all of 10,000 rules have the same
    // By lists: the hash of a record, on JDK 17, keeps the class loader of an application for good.
    Map<List<CredentialMasking.Visibility>, KeyVisibility> sharedVisibilities = new HashMap<>();
    for (RuleCounters rule : rules) {
      Named called = named.getOrDefault(rule.label(), new Named());
      List<RuleCallers.Subject> own = called.subjects;
      RuleCallers before = old.get(rule.number());
      boolean isKnown = before != null && before.isOf(own);
      RuleCallers ruleCallers =
          before != null && isKnown ? before : new RuleCallers(rule, callerIds, registers);
      ruleCallers.resize(registers);
      KeyVisibility visibility = KeyVisibility.of(called.open);
      KeyVisibility shared = sharedVisibilities.putIfAbsent(visibility.open(), visibility);
      // The old entries are dropped with the old rules.
      ruleCallers.take(own, rule.label(), called.ruleParts, shared == null ? visibility : shared);
      if (isKnown) {
        old.remove(rule.number());
      }
      byNumber.put(rule.number(), ruleCallers);
      byLabel.put(rule.label(), ruleCallers);
    }
    old.values().forEach(onRemoved);
  }

  /** Groups rules by label; rules of the Envoy form may share a name. */
  private Map<String, Named> named(RuleSet now) {
    Map<String, Named> all = new HashMap<>();
    for (Domain domain : now.domains()) {
      CredentialMasking credentialMasking = CredentialMasking.over(domain);
      for (Rule rule : domain.allRules()) {
        String label = decisionEngine.decisionCounters().label(rule, decisionEngine::rules);
        if (label != null) {
          all.computeIfAbsent(label, any -> new Named()).add(rule, domain, credentialMasking);
        }
      }
    }
    return all;
  }

  /** The rules of one name. */
  private static final class Named {
    private final List<RuleCallers.Subject> subjects = new ArrayList<>(1);
    private final List<List<CredentialMasking.Visibility>> open = new ArrayList<>(1);
    private List<RulePart> ruleParts = RulePart.OWN_ALONE;

    void add(Rule rule, Domain domain, CredentialMasking credentialMasking) {
      subjects.add(RuleCallers.Subject.of(rule, domain.attributes()));
      open.add(credentialMasking.ofKeys(rule));
      if (!rule.ruleOverrides().isEmpty()) { // no two rules with overrides share a name
        List<RulePart> all = new ArrayList<>();
        all.add(RulePart.OWN);
        List<String> names = credentialMasking.names(rule);
        for (int i = 0; i < names.size(); i++) {
          all.add(RulePart.of(rule.ruleOverrides().get(i).id(), names.get(i)));
        }
        ruleParts = List.copyOf(all);
      }
    }
  }

  /**
   * The more rules, the fewer registers per rule: 2 KiB for half a day with few rules, 128 bytes
   * with 10,000.
   */
  private static int registers(int rules) {
    return rules <= 256 ? 1024 : rules <= 1024 ? 512 : rules <= 4096 ? 256 : 128;
  }

  /** Null if that rule is not in force. */
  @Nullable RuleCallers numbered(int number) {
    return byNumber.get(number);
  }

  /** Null if that rule is not in force. */
  @Nullable RuleCallers labelled(String label) {
    return byLabel.get(label);
  }

  /** A caller of a rule, seen or not. */
  CallerKey key(Rule rule, String label, String key) {
    String kept = KeyTruncation.cut(key);
    KeyVisibility visibility =
        decisionEngine.rules().domains().stream()
            .filter(domain -> domain.name().equals(rule.domain()))
            .findFirst()
            .map(domain -> KeyVisibility.of(List.of(CredentialMasking.over(domain).ofKeys(rule))))
            .orElse(KeyVisibility.CLOSED);
    return new CallerKey(callerIds.of(label, kept), kept, visibility);
  }

  Collection<RuleCallers> all() {
    return byNumber.values();
  }
}
