package io.weir.insight;

import io.weir.decision.RuleCounters;
import io.weir.insight.event.DecisionEvent;
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
final class RuleCallers {
  private String label;
  private final CallerIds callerIds;
  private final HyperLogLog callers;
  private final HyperLogLog refused;
  private List<Subject> subjects = List.of();
  private List<RulePart> ruleParts = RulePart.OWN_ALONE;
  private KeyVisibility visibility = KeyVisibility.CLOSED;

  RuleCallers(RuleCounters rule, CallerIds callerIds, int registers) {
    this.label = rule.label();
    this.callerIds = callerIds;
    this.callers = new HyperLogLog(registers);
    this.refused = new HyperLogLog(registers);
  }

  /** Sets the number of registers from the next half-day on. */
  void resize(int registers) {
    callers.resize(registers);
    refused.resize(registers);
  }

  void see(long hash, long what, long nowMillis) {
    callers.add(hash, nowMillis);
    if (DecisionEvent.isRefused(what)) {
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
   * @param visibilityNow which parts of its keys may be shown
   */
  void take(
      List<Subject> now, String called, List<RulePart> partsNow, KeyVisibility visibilityNow) {
    subjects = now;
    ruleParts = partsNow;
    visibility = visibilityNow;
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

  /** The limits for the override number in {@link DecisionEvent#override}. */
  RulePart part(int override) {
    return override < ruleParts.size() ? ruleParts.get(override) : RulePart.OWN;
  }

  /** Whether it still has these limits. */
  boolean has(RulePart rulePart) {
    return ruleParts.stream().anyMatch(each -> each.id().equals(rulePart.id()));
  }

  CallerKey key(String kept) {
    return new CallerKey(callerIds.of(label, kept), kept, visibility);
  }

  /** The estimate of refused callers is capped at the estimate of all callers. */
  DistinctCallers census(long nowMillis) {
    long all = callers.count(nowMillis);
    return new DistinctCallers(all, Math.min(all, refused.count(nowMillis)), callers.error());
  }

  long bytes() {
    return 100 + callers.bytes() + refused.bytes();
  }
}
