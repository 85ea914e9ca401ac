package io.weir.rules.replay;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.match.MalformedRequestException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges requests by one rule set, at the times at which they came, and counts what it does. */
final class Judge {
  /** Far beyond what memory holds: in a replay nobody shares a bucket for want of room. */
  private static final long MAX_KEYS = 1L << 40;

  private final ManualTime time = TimeSource.recorded();
  private final RequestLimiter limiter;
  private final Axis axis = new Axis();
  private final OutcomeTally outcomes = new OutcomeTally(axis);
  private final List<RuleTally> tallies = new ArrayList<>();
  private final Map<Rule, RuleTally> byRule = new IdentityHashMap<>();
  private final FaultLog malformed = new FaultLog();
  private long uncovered;
  private long outOfOrder;
  private long first = Long.MAX_VALUE;
  private long last = Long.MIN_VALUE;

  Judge(RuleSet rules) {
    this.limiter = RequestLimiter.builder(rules).time(time).maxKeys(MAX_KEYS).build();
    for (Rule rule : rules.rules()) {
      RuleTally tally = new RuleTally(rule, axis);
      tallies.add(tally);
      byRule.put(rule, tally);
    }
  }

  /** The ruling on {@code request}; null if a front would answer with 400. */
  @Nullable Ruling judge(TraceRequest request) {
    time.setNanos(request.epochNanos());
    Ruling ruling;
    try {
      ruling = limiter.check(request);
    } catch (MalformedRequestException e) {
      malformed.add(request.line(), () -> Excerpt.of(String.valueOf(e.getMessage())));
      return null;
    }
    count(request.epochMillis(), ruling);
    return ruling;
  }

  private void count(long epochMillis, Ruling ruling) {
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

  private RuleTally tallyOf(Verdict verdict) {
    RuleTally tally = byRule.get(verdict.rule());
    if (tally == null) {
      throw new IllegalStateException("a verdict of a rule that is not there: " + verdict);
    }
    return tally;
  }

  Summary summary(Trace trace, Optional<Comparison> comparison) {
    boolean none = first > last;
    return new Summary(
        outcomes.counts(),
        uncovered,
        none ? Optional.empty() : Optional.of(Instant.ofEpochMilli(first)),
        none ? Optional.empty() : Optional.of(Instant.ofEpochMilli(last)),
        outOfOrder,
        malformed.and(trace.faults()),
        trace.cut(),
        tallies.stream().map(RuleTally::summary).toList(),
        outcomes.timeline(),
        comparison);
  }
}
