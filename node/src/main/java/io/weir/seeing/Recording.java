package io.weir.seeing;

/** The demand of one caller, allowed and refused, at decreasing resolution. */
final class Recording {
  private static final Grain[] GRAINS = Grain.values();

  /** Two ints per slot, plus overhead. */
  static final int BYTES = 456 * 8 + 400;

  private final Trail[] series = new Trail[GRAINS.length]; // by grain
  private final long sinceMillis;
  private long requests;
  private long permits;

  Recording(long nowMillis) {
    this.sinceMillis = nowMillis;
    for (Grain range : GRAINS) {
      series[range.ordinal()] = new Trail(range);
    }
  }

  void add(long second, long what) {
    int weight = Sighting.weight(what);
    for (Trail each : series) {
      each.add(second, weight, Sighting.isRefused(what));
    }
    requests += weight;
    permits += weight * Sighting.cost(what);
  }

  Trail of(Grain range) {
    return series[range.ordinal()];
  }

  long sinceMillis() {
    return sinceMillis;
  }

  /** How many permits a request asks for, on average. */
  double cost() {
    return requests == 0 ? 1 : (double) permits / requests;
  }

  boolean isOver(long second) {
    return of(Grain.DAY).isEmpty(second);
  }
}
