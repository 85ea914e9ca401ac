package io.weir.rules.replay.count;

import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.replay.DecisionLine;
import io.weir.rules.replay.Flips;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.RuleCount;
import io.weir.rules.replay.RuleSummary;
import io.weir.rules.replay.TraceRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Counts requests with different decisions by two rule sets, in one direction. */
public final class FlipCounter {
  private final Map<Rule, KeyCounter> keys = new IdentityHashMap<>();
  private final Map<Rule, Long> byRule = new IdentityHashMap<>();
  private final List<Flips.Example> examples = new ArrayList<>();
  private final TimeSpans timeSpans;
  private final TimeSpans.Series series;
  private long requests;

  public FlipCounter(TimeSpans timeSpans) {
    this.timeSpans = timeSpans;
    this.series = timeSpans.series();
  }

  /** Counts a request, with the decision that refuses it. */
  public void add(TraceRequest request, RequestDecision refusal) {
    requests++;
    series.add(timeSpans.placeOf(request.epochMillis()));
    RuleDecision deciding = refusal.deciding().orElseThrow();
    byRule.merge(deciding.rule(), 1L, Long::sum);
    keys.computeIfAbsent(deciding.rule(), rule -> new KeyCounter()).add(deciding.key(), true);
    if (examples.size() < Flips.EXAMPLES) {
      examples.add(new Flips.Example(request, new DecisionLine(request, refusal)));
    }
  }

  public Flips flips() {
    List<RuleCount> rules = new ArrayList<>();
    byRule.forEach((rule, count) -> rules.add(new RuleCount(rule, count)));
    rules.sort(
        Comparator.comparingLong(RuleCount::count)
            .reversed()
            .thenComparing(each -> each.rule().name()));
    List<KeyCount> worst = new ArrayList<>();
    keys.forEach((rule, keyCounter) -> worst.addAll(keyCounter.top(rule)));
    worst.sort(KeyCounter.BY_COUNT_DESCENDING);
    return new Flips(
        requests,
        keys.values().stream().mapToLong(KeyCounter::keys).sum(),
        rules,
        worst.subList(0, Math.min(worst.size(), RuleSummary.MAX_KEYS)),
        series.counts(),
        examples);
  }
}
