package io.weir.tck.model;

import io.weir.Limit;

/**
 * This window's count, plus that of the previous one in proportion to its overlap, rounded down.
 */
final class SlidingWindowModel extends Model {
  private final Fraction period;
  private WindowCounts windowCounts = new WindowCounts();

  SlidingWindowModel(Limit.SlidingWindow limit) {
    super(limit);
    period = millis(limit.period());
  }

  private long spent(Fraction now) {
    Fraction window = now.roundedDownTo(period);
    Fraction overlap = Fraction.ONE.minus(now.minus(window).dividedBy(period));
    long before = windowCounts.at(window.minus(period));
    return windowCounts.at(window) + overlap.times(before).floor().longValueExact();
  }

  @Override
  boolean fits(long cost, Fraction now) {
    return !windowCounts.isClosed(now.roundedDownTo(period))
        && spent(now) + cost <= limit.permits();
  }

  @Override
  Fraction take(long cost, Fraction time) {
    Fraction window = now(time).roundedDownTo(period);
    windowCounts.add(window, cost);
    return window;
  }

  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    windowCounts.takeOff(mark, permits);
  }

  /** Counts in the current window, which a reservation may have opened. */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time).roundedDownTo(period);
    Fraction window = windowCounts.newest().map(now::max).orElse(now);
    windowCounts.add(window, cost, limit.permits());
  }

  /** From the newest window first, the rest from the one before it. */
  @Override
  void refund(long permits, Fraction now) {
    windowCounts
        .newest()
        .ifPresent(
            window -> {
              long left = permits - windowCounts.takeOff(window, permits);
              windowCounts.takeOff(window.minus(period), left);
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
    windowCounts = ((SlidingWindowModel) found).windowCounts.copy();
    Fraction window = now(time).roundedDownTo(period);
    boolean isRelic = windowCounts.isClosed(window.plus(period));
    if (isRelic) {
      long spent =
          windowCounts.sumAfter(windowCounts.newest().orElse(window).minus(period.times(2)));
      windowCounts.clear();
      windowCounts.add(window, spentByRelic(spent));
    }
    return isRelic;
  }
}
