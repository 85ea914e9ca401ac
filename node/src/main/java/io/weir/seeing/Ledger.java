package io.weir.seeing;

import io.weir.arbiter.Arbiter;
import io.weir.arbiter.RuleTally;
import io.weir.arbiter.Veil;
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
final class Ledger {
  private final Arbiter arbiter;
  private final Consumer<RuleWatch> farewell;
  private final Ids ids = new Ids();
  private @Nullable RuleSet known;
  private Map<Integer, RuleWatch> byNumber = new HashMap<>();
  private Map<String, RuleWatch> byLabel = new HashMap<>();

  /**
   * @param farewell is notified of each rule that was removed or now applies to other callers
   */
  Ledger(Arbiter arbiter, Consumer<RuleWatch> farewell) {
    this.arbiter = arbiter;
    this.farewell = farewell;
  }

  /** Updates to the rules in force. */
  void renew() {
    RuleSet now = arbiter.rules();
    if (now == known) {
      return;
    }
    known = now;
    Map<Integer, RuleWatch> old = byNumber;
    byNumber = new HashMap<>();
    byLabel = new HashMap<>();
    Collection<RuleTally> rules = arbiter.tally().rules(arbiter::rules);
    int registers = registers(rules.size());
    Map<String, Named> named = named(now);
    // shared, because nearly all of 10,000 rules have the same
    Map<KeyVeil, KeyVeil> veils = new HashMap<>();
    for (RuleTally rule : rules) {
      Named called = named.getOrDefault(rule.label(), new Named());
      List<RuleWatch.Subject> own = called.subjects;
      RuleWatch before = old.get(rule.number());
      boolean isKnown = before != null && before.isOf(own);
      RuleWatch watch = before != null && isKnown ? before : new RuleWatch(rule, ids, registers);
      watch.resize(registers);
      KeyVeil veil = KeyVeil.of(called.open);
      KeyVeil shared = veils.putIfAbsent(veil, veil);
      // The old entries are dropped with the old rules.
      watch.take(own, rule.label(), called.parts, shared == null ? veil : shared);
      if (isKnown) {
        old.remove(rule.number());
      }
      byNumber.put(rule.number(), watch);
      byLabel.put(rule.label(), watch);
    }
    old.values().forEach(farewell);
  }

  /** Groups rules by label; rules of the Envoy form may share a name. */
  private Map<String, Named> named(RuleSet now) {
    Map<String, Named> all = new HashMap<>();
    for (Domain domain : now.domains()) {
      Veil veil = Veil.over(domain);
      for (Rule rule : domain.allRules()) {
        String label = arbiter.tally().label(rule, arbiter::rules);
        if (label != null) {
          all.computeIfAbsent(label, any -> new Named()).add(rule, domain, veil);
        }
      }
    }
    return all;
  }

  /** The rules of one name. */
  private static final class Named {
    private final List<RuleWatch.Subject> subjects = new ArrayList<>(1);
    private final List<List<Veil.Openness>> open = new ArrayList<>(1);
    private List<Part> parts = Part.OWN_ALONE;

    void add(Rule rule, Domain domain, Veil veil) {
      subjects.add(RuleWatch.Subject.of(rule, domain.attributes()));
      open.add(veil.ofKeys(rule));
      if (!rule.variants().isEmpty()) { // no two rules with overrides share a name
        List<Part> all = new ArrayList<>();
        all.add(Part.OWN);
        List<String> names = veil.names(rule);
        for (int i = 0; i < names.size(); i++) {
          all.add(Part.of(rule.variants().get(i).id(), names.get(i)));
        }
        parts = List.copyOf(all);
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
  @Nullable RuleWatch numbered(int number) {
    return byNumber.get(number);
  }

  /** Null if that rule is not in force. */
  @Nullable RuleWatch labelled(String label) {
    return byLabel.get(label);
  }

  /** A caller of a rule, seen or not. */
  Key key(Rule rule, String label, String key) {
    String kept = LongKeys.cut(key);
    KeyVeil veil =
        arbiter.rules().domains().stream()
            .filter(domain -> domain.name().equals(rule.domain()))
            .findFirst()
            .map(domain -> KeyVeil.of(List.of(Veil.over(domain).ofKeys(rule))))
            .orElse(KeyVeil.CLOSED);
    return new Key(ids.of(label, kept), kept, veil);
  }

  Collection<RuleWatch> all() {
    return byNumber.values();
  }
}
