package io.weir.server.seeing;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** How much somebody asked for, at falling resolution: what passed, and what did not. */
final class Recording {
  private static final Range[] RANGES = Range.values();

  /** Two ints for each slot, and what is around them. */
  static final int BYTES = 456 * 8 + 400;

  private final Map<Range, Series> series = new EnumMap<>(Range.class);
  private final long sinceMillis;
  private long requests;
  private long permits;

  Recording(long nowMillis) {
    this.sinceMillis = nowMillis;
    for (Range range : RANGES) {
      series.put(range, new Series(range));
    }
  }

  void add(long second, long what) {
    int weight = Sighting.weight(what);
    for (Range range : RANGES) {
      of(range).add(second, weight, Sighting.isRefused(what));
    }
    requests += weight;
    permits += weight * Sighting.cost(what);
  }

  Series of(Range range) {
    return Objects.requireNonNull(series.get(range));
  }

  long sinceMillis() {
    return sinceMillis;
  }

  /** How many permits a request asks for, on average. */
  double cost() {
    return requests == 0 ? 1 : (double) permits / requests;
  }

  boolean isOver(long second) {
    return of(Range.DAY).isEmpty(second);
  }
}
