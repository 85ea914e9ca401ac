package io.weir.insight;

import io.weir.insight.event.DecisionEvent;
import io.weir.insight.whatif.Resolution;

/** The demand of one caller, allowed and refused, at decreasing resolution. */
final class DemandRecording {
  private static final Resolution[] GRAINS = Resolution.values();

  /** Two ints per slot, plus overhead. */
  static final int BYTES = 456 * 8 + 400;

  private final CallerSeries[] series = new CallerSeries[GRAINS.length]; // by grain
  private final long sinceMillis;
  private long requests;
  private long permits;

  DemandRecording(long nowMillis) {
    this.sinceMillis = nowMillis;
    for (Resolution range : GRAINS) {
      series[range.ordinal()] = new CallerSeries(range);
    }
  }

  void add(long second, long what) {
    int weight = DecisionEvent.weight(what);
    for (CallerSeries each : series) {
      each.add(second, weight, DecisionEvent.isRefused(what));
    }
    requests += weight;
    permits += weight * DecisionEvent.cost(what);
  }

  CallerSeries of(Resolution range) {
    return series[range.ordinal()];
  }

  long sinceMillis() {
    return sinceMillis;
  }

  /** How many permits a request costs, on average. */
  double cost() {
    return requests == 0 ? 1 : (double) permits / requests;
  }

  boolean isOver(long second) {
    return of(Resolution.DAY).isEmpty(second);
  }
}
