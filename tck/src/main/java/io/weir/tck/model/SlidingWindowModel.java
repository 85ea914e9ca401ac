package io.weir.tck.model;

import io.weir.Limit;

/** This window's count, and the one before in proportion to its overlap, rounded down. */
final class SlidingWindowModel extends Model {
  private final Fraction period;
  private Counters counters = new Counters();

  SlidingWindowModel(Limit.SlidingWindow limit) {
    super(limit);
    period = millis(limit.period());
  }

  private long spent(Fraction now) {
    Fraction window = now.roundedDownTo(period);
    Fraction overlap = Fraction.ONE.minus(now.minus(window).dividedBy(period));
    long before = counters.at(window.minus(period));
    return counters.at(window) + overlap.times(before).floor().longValueExact();
  }

  @Override
  boolean fits(long cost, Fraction now) {
    return !counters.isClosed(now.roundedDownTo(period)) && spent(now) + cost <= limit.permits();
  }

  @Override
  Taken take(long cost, Fraction time) {
    Fraction window = now(time).roundedDownTo(period);
    counters.add(window, cost);
    return (permits, now) -> counters.takeOff(window, permits);
  }

  /** In the window that is counted now, which may be one that a reservation has opened. */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time).roundedDownTo(period);
    Fraction window = counters.newest().map(now::max).orElse(now);
    counters.add(window, Math.min(cost, limit.permits() - counters.at(window)));
  }

  @Override
  void clear() {
    counters.clear();
  }

  @Override
  void mend(Fraction time) {
    Fraction window = now(time).roundedDownTo(period);
    if (counters.isClosed(window.plus(period))) {
      clear();
      counters.add(window, limit.permits());
    }
  }

  /** To the newest window, and what is left to the one before it. */
  @Override
  void refund(long permits, Fraction now) {
    counters
        .newest()
        .ifPresent(
            window -> {
              long left = permits - counters.takeOff(window, permits);
              counters.takeOff(window.minus(period), left);
            });
  }

  @Override
  Fraction reset(Fraction now) {
    return now.roundedDownTo(period).plus(period).minus(now);
  }

  @Override
  Fraction reach(Fraction now) {
    return reset(now).plus(period).minus(tick);
  }

  @Override
  void inherit(Model old, Fraction time) {
    counters = ((SlidingWindowModel) old).counters.copy();
    counters.capAt(limit.permits());
  }

  @Override
  SlidingWindowModel copy() {
    SlidingWindowModel copy = new SlidingWindowModel((Limit.SlidingWindow) limit);
    copy.counters = counters.copy();
    return copy;
  }
}
