package io.weir.rules.replay;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counts outcomes, in total and over time. */
final class OutcomeTally {
  private static final Outcome[] OUTCOMES = Outcome.values();

  private final Axis axis;
  private final long[] counts = new long[OUTCOMES.length];
  private final Axis.@Nullable Series[] series = new Axis.Series[OUTCOMES.length];

  OutcomeTally(Axis axis) {
    this.axis = axis;
  }

  void add(Outcome outcome, int place) {
    int i = outcome.ordinal();
    counts[i]++;
    Axis.Series mine = series[i];
    if (mine == null) {
      // Series are created on first use: most rules have one or two outcomes, and there may be many
      // rules.
      mine = axis.series();
      series[i] = mine;
    }
    mine.add(place);
  }

  Map<Outcome, Long> counts() {
    Map<Outcome, Long> map = new EnumMap<>(Outcome.class);
    for (Outcome outcome : OUTCOMES) {
      map.put(outcome, counts[outcome.ordinal()]);
    }
    return map;
  }

  Timeline timeline() {
    Map<Outcome, List<Long>> lists = new EnumMap<>(Outcome.class);
    for (Outcome outcome : OUTCOMES) {
      Axis.Series mine = series[outcome.ordinal()];
      lists.put(outcome, mine == null ? axis.zeros() : mine.counts());
    }
    return new Timeline(axis.start(), axis.span(), lists);
  }
}
