package io.weir.seeing;

import io.weir.arbiter.RuleTally;
import io.weir.rules.AttributeSource;
import io.weir.rules.Cost;
import io.weir.rules.Rule;
import io.weir.rules.match.Match;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The callers of one rule: their number, keys and parts, but not rankings and recordings. */
final class RuleWatch {
  private String label;
  private final Ids ids;
  private final Distinct callers;
  private final Distinct refused;
  private List<Subject> subjects = List.of();
  private List<Part> parts = Part.OWN_ALONE;
  private KeyVeil veil = KeyVeil.CLOSED;

  RuleWatch(RuleTally rule, Ids ids, int registers) {
    this.label = rule.label();
    this.ids = ids;
    this.callers = new Distinct(registers);
    this.refused = new Distinct(registers);
  }

  /** Sets the number of registers from the next half-day on. */
  void resize(int registers) {
    callers.resize(registers);
    refused.resize(registers);
  }

  void see(long hash, long what, long nowMillis) {
    callers.add(hash, nowMillis);
    if (Sighting.isRefused(what)) {
      refused.add(hash, nowMillis);
    }
  }

  /**
   * Whether these rules have the same callers: equal keys mean the same, and equal requests count
   * the same.
   */
  boolean isOf(List<Subject> now) {
    return subjects.equals(now);
  }

  /**
   * Sets the rules and the label.
   *
   * @param partsNow its own limits, then those of its overrides in their order
   * @param veilNow which parts of its keys may be shown
   */
  void take(List<Subject> now, String called, List<Part> partsNow, KeyVeil veilNow) {
    subjects = now;
    parts = partsNow;
    veil = veilNow;
    label = called;
  }

  /**
   * The requests that a rule applies to, and what it counts.
   *
   * @param sources where the attributes of its keys come from, and their base attributes
   */
  record Subject(
      String id,
      List<String> per,
      Match match,
      List<Match> exempt,
      Cost cost,
      Map<String, AttributeSource> sources) {
    static Subject of(Rule rule, Map<String, AttributeSource> declared) {
      Map<String, AttributeSource> sources = new HashMap<>();
      Deque<String> names = new ArrayDeque<>(rule.per());
      for (String name = names.poll(); name != null; name = names.poll()) {
        AttributeSource source = declared.get(name);
        if (source != null && sources.put(name, source) == null) {
          names.addAll(source.attributes());
        }
      }
      return new Subject(
          rule.id(), rule.per(), rule.match(), rule.exempt(), rule.cost(), Map.copyOf(sources));
    }
  }

  String label() {
    return label;
  }

  /** The limits for the override number in {@link Sighting#override}. */
  Part part(int override) {
    return override < parts.size() ? parts.get(override) : Part.OWN;
  }

  /** Whether it still has these limits. */
  boolean has(Part part) {
    return parts.stream().anyMatch(each -> each.id().equals(part.id()));
  }

  Key key(String kept) {
    return new Key(ids.of(label, kept), kept, veil);
  }

  /** The estimate of refused callers is capped at the estimate of all callers. */
  Census census(long nowMillis) {
    long all = callers.count(nowMillis);
    return new Census(all, Math.min(all, refused.count(nowMillis)), callers.error());
  }

  long bytes() {
    return 100 + callers.bytes() + refused.bytes();
  }
}
