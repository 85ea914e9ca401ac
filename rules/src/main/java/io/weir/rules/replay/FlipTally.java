package io.weir.rules.replay;

import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Counts requests with different decisions by two rule sets, in one direction. */
final class FlipTally {
  private final Map<Rule, KeyTally> keys = new IdentityHashMap<>();
  private final Map<Rule, Long> byRule = new IdentityHashMap<>();
  private final List<Flips.Example> examples = new ArrayList<>();
  private final Axis axis;
  private final Axis.Series series;
  private long requests;

  FlipTally(Axis axis) {
    this.axis = axis;
    this.series = axis.series();
  }

  /** Counts a request, with the ruling that refuses it. */
  void add(TraceRequest request, Ruling refusal) {
    requests++;
    series.add(axis.placeOf(request.epochMillis()));
    Verdict deciding = refusal.deciding().orElseThrow();
    byRule.merge(deciding.rule(), 1L, Long::sum);
    keys.computeIfAbsent(deciding.rule(), rule -> new KeyTally()).add(deciding.key(), true);
    if (examples.size() < Flips.EXAMPLES) {
      examples.add(new Flips.Example(request, new DecisionLine(request, refusal)));
    }
  }

  Flips flips() {
    List<RuleCount> rules = new ArrayList<>();
    byRule.forEach((rule, count) -> rules.add(new RuleCount(rule, count)));
    rules.sort(
        Comparator.comparingLong(RuleCount::count)
            .reversed()
            .thenComparing(each -> each.rule().name()));
    List<KeyCount> worst = new ArrayList<>();
    keys.forEach((rule, tally) -> worst.addAll(tally.most(rule)));
    worst.sort(KeyTally.MOST_FIRST);
    return new Flips(
        requests,
        keys.values().stream().mapToLong(KeyTally::keys).sum(),
        rules,
        worst.subList(0, Math.min(worst.size(), RuleSummary.MOST_KEYS)),
        series.counts(),
        examples);
  }
}
