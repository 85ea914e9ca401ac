package io.weir.rules.replay.count;

import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.RuleSet;
import io.weir.rules.replay.BadLines;
import io.weir.rules.replay.Comparison;
import io.weir.rules.replay.ReplayOutcome;
import io.weir.rules.replay.Summary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Counts the results of one rule set on a trace. */
public final class SummaryBuilder {
  private final TimeSpans timeSpans = new TimeSpans();
  private final ReplayOutcomeCounter outcomes = new ReplayOutcomeCounter(timeSpans);
  private final List<ReplayRuleCounter> tallies = new ArrayList<>();
  private final Map<Rule, ReplayRuleCounter> byRule = new IdentityHashMap<>();
  private long uncovered;
  private long outOfOrder;
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  public SummaryBuilder(RuleSet rules) {
    for (Rule rule : rules.rules()) {
      ReplayRuleCounter tally = new ReplayRuleCounter(rule, timeSpans);
      tallies.add(tally);
      byRule.put(rule, tally);
    }
  }

  /** Counts the decision on a request at that time. */
  public void add(long epochMillis, RequestDecision requestDecision) {
    if (epochMillis < last) {
      outOfOrder++;
    }
    first = Math.min(first, epochMillis);
    last = Math.max(last, epochMillis);
    int place = timeSpans.placeOf(epochMillis);
    boolean shadowRefused = false;
    boolean delayed = false;
    List<RuleDecision> ruleDecisions = requestDecision.ruleDecisions();
    for (int i = 0; i < ruleDecisions.size(); i++) {
      RuleDecision ruleDecision = ruleDecisions.get(i);
      delayed |= !ruleDecision.decision().delay().isZero();
      tallyOf(ruleDecision).add(ruleDecision, false, place);
    }
    List<RuleDecision> shadows = requestDecision.shadows();
    for (int i = 0; i < shadows.size(); i++) {
      RuleDecision shadow = shadows.get(i);
      shadowRefused |= !shadow.decision().allowed();
      tallyOf(shadow).add(shadow, true, place);
    }
    if (ruleDecisions.isEmpty()) {
      uncovered++;
    }
    outcomes.add(
        !requestDecision.allowed()
            ? ReplayOutcome.REFUSED
            : shadowRefused
                ? ReplayOutcome.SHADOW_REFUSED
                : delayed ? ReplayOutcome.DELAYED : ReplayOutcome.ALLOWED,
        place);
  }

  /** The time axis of all counts. */
  public TimeSpans timeSpans() {
    return timeSpans;
  }

  private ReplayRuleCounter tallyOf(RuleDecision ruleDecision) {
    ReplayRuleCounter tally = byRule.get(ruleDecision.rule());
    if (tally == null) {
      throw new IllegalStateException("a decision of an unknown rule: " + ruleDecision);
    }
    return tally;
  }

  public Summary summary(
      BadLines malformed,
      BadLines badRequests,
      Optional<String> cut,
      Optional<Comparison> comparison) {
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
        tallies.stream().map(ReplayRuleCounter::summary).toList(),
        outcomes.outcomeSeries(),
        comparison);
  }
}
