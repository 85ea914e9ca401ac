package io.weir.tck.model;

import io.weir.Limit;

/**
 * This window's count, plus that of the previous one in proportion to its overlap, rounded down.
 */
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
  Fraction take(long cost, Fraction time) {
    Fraction window = now(time).roundedDownTo(period);
    counters.add(window, cost);
    return window;
  }

  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    counters.takeOff(mark, permits);
  }

  /** Counts in the current window, which a reservation may have opened. */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time).roundedDownTo(period);
    Fraction window = counters.newest().map(now::max).orElse(now);
    counters.add(window, cost, limit.permits());
  }

  /** From the newest window first, the rest from the one before it. */
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
  boolean goOnFrom(Model found, Fraction time) {
    counters = ((SlidingWindowModel) found).counters.copy();
    Fraction window = now(time).roundedDownTo(period);
    boolean isRelic = counters.isClosed(window.plus(period));
    if (isRelic) {
      long spent = counters.sumAfter(counters.newest().orElse(window).minus(period.times(2)));
      counters.clear();
      counters.add(window, spentByRelic(spent));
    }
    return isRelic;
  }
}
