package io.weir.server.seeing;

import io.weir.rules.Cost;
import io.weir.rules.Rule;
import io.weir.rules.match.Match;
import io.weir.server.RuleTally;
import java.util.List;

/** What is known of the callers of one rule, but for rankings and recordings. */
final class RuleWatch {
  private final String label;
  private final Ids ids;
  private final Distinct callers;
  private final Distinct refused;
  private List<Subject> subjects = List.of();

  RuleWatch(RuleTally rule, Ids ids, int registers) {
    this.label = rule.label();
    this.ids = ids;
    this.callers = new Distinct(registers);
    this.refused = new Distinct(registers);
  }

  void see(long hash, long what, long nowMillis) {
    callers.add(hash, nowMillis);
    if (Sighting.isRefused(what)) {
      refused.add(hash, nowMillis);
    }
  }

  /**
   * Whether these rules have the callers that it knows: the same keys mean the same, and the same
   * requests count as much.
   */
  boolean isOf(List<Subject> now) {
    return subjects.equals(now);
  }

  RuleWatch of(List<Subject> now) {
    subjects = now;
    return this;
  }

  /** Whom a rule is for, and what it counts. */
  record Subject(String id, List<String> per, Match match, List<Match> exempt, Cost cost) {
    static Subject of(Rule rule) {
      return new Subject(rule.id(), rule.per(), rule.match(), rule.exempt(), rule.cost());
    }
  }

  String label() {
    return label;
  }

  Key key(String kept) {
    return new Key(ids.of(label, kept), kept);
  }

  /** More cannot have been refused than there were. */
  Census census(long nowMillis) {
    long all = callers.count(nowMillis);
    return new Census(all, Math.min(all, refused.count(nowMillis)), callers.error());
  }

  long bytes() {
    return 100 + callers.bytes() + refused.bytes();
  }
}
