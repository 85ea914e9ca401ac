package io.weir.rules.replay.count;

import io.weir.rules.replay.OutcomeSeries;
import io.weir.rules.replay.ReplayOutcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts outcomes, in total and over time. */
final class ReplayOutcomeCounter {
  private static final ReplayOutcome[] OUTCOMES = ReplayOutcome.values();

  private final TimeSpans timeSpans;
  private final long[] counts = new long[OUTCOMES.length];
  private final TimeSpans.@Nullable Series[] series = new TimeSpans.Series[OUTCOMES.length];

  ReplayOutcomeCounter(TimeSpans timeSpans) {
    this.timeSpans = timeSpans;
  }

  void add(ReplayOutcome replayOutcome, int place) {
    int i = replayOutcome.ordinal();
    counts[i]++;
    TimeSpans.Series mine = series[i];
    if (mine == null) {
      // Series are created on first use: most rules have one or two outcomes, and there may be many
      // rules.
      mine = timeSpans.series();
      series[i] = mine;
    }
    mine.add(place);
  }

  Map<ReplayOutcome, Long> counts() {
    Map<ReplayOutcome, Long> map = new EnumMap<>(ReplayOutcome.class);
    for (ReplayOutcome replayOutcome : OUTCOMES) {
      map.put(replayOutcome, counts[replayOutcome.ordinal()]);
    }
    return map;
  }

  OutcomeSeries outcomeSeries() {
    Map<ReplayOutcome, List<Long>> lists = new EnumMap<>(ReplayOutcome.class);
    for (ReplayOutcome replayOutcome : OUTCOMES) {
      TimeSpans.Series mine = series[replayOutcome.ordinal()];
      lists.put(replayOutcome, mine == null ? timeSpans.zeros() : mine.counts());
    }
    return new OutcomeSeries(timeSpans.start(), timeSpans.span(), lists);
  }
}
