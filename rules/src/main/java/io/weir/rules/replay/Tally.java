package io.weir.rules.replay;

import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the results of one rule set on a trace. */
final class Tally {
  private final Axis axis = new Axis();
  private final OutcomeTally outcomes = new OutcomeTally(axis);
  private final List<RuleTally> tallies = new ArrayList<>();
  private final Map<Rule, RuleTally> byRule = new IdentityHashMap<>();
  private long uncovered;
  private long outOfOrder;
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  Tally(RuleSet rules) {
    for (Rule rule : rules.rules()) {
      RuleTally tally = new RuleTally(rule, axis);
      tallies.add(tally);
      byRule.put(rule, tally);
    }
  }

  /** Counts the ruling on a request at that time. */
  void add(long epochMillis, Ruling ruling) {
    if (epochMillis < last) {
      outOfOrder++;
    }
    first = Math.min(first, epochMillis);
    last = Math.max(last, epochMillis);
    int place = axis.placeOf(epochMillis);
    boolean shadowRefused = false;
    boolean delayed = false;
    List<Verdict> verdicts = ruling.verdicts();
    for (int i = 0; i < verdicts.size(); i++) {
      Verdict verdict = verdicts.get(i);
      delayed |= !verdict.decision().delay().isZero();
      tallyOf(verdict).add(verdict, false, place);
    }
    List<Verdict> shadows = ruling.shadows();
    for (int i = 0; i < shadows.size(); i++) {
      Verdict shadow = shadows.get(i);
      shadowRefused |= !shadow.decision().allowed();
      tallyOf(shadow).add(shadow, true, place);
    }
    if (verdicts.isEmpty()) {
      uncovered++;
    }
    outcomes.add(
        !ruling.allowed()
            ? Outcome.REFUSED
            : shadowRefused ? Outcome.SHADOW_REFUSED : delayed ? Outcome.DELAYED : Outcome.ALLOWED,
        place);
  }

  /** The time axis of all counts. */
  Axis axis() {
    return axis;
  }

  private RuleTally tallyOf(Verdict verdict) {
    RuleTally tally = byRule.get(verdict.rule());
    if (tally == null) {
      throw new IllegalStateException("a verdict of a rule that is not there: " + verdict);
    }
    return tally;
  }

  Summary summary(
      Faults malformed, Faults badRequests, Optional<String> cut, Optional<Comparison> comparison) {
    boolean none = first > last;
    return new Summary(
        outcomes.counts(),
        uncovered,
        none ? Optional.empty() : Optional.of(Instant.ofEpochMilli(first)),
        none ? Optional.empty() : Optional.of(Instant.ofEpochMilli(last)),
        outOfOrder,
        malformed,
        badRequests,
        cut,
        tallies.stream().map(RuleTally::summary).toList(),
        outcomes.timeline(),
        comparison);
  }
}
