package io.weir.server.seeing;

import io.weir.server.RuleTally;

/** What is known of the callers of one rule, but for rankings and recordings. */
final class RuleWatch {
  private final String label;
  private final Ids ids;
  private final Distinct callers;
  private final Distinct refused;

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
