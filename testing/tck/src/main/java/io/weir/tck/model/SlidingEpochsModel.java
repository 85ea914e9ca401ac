package io.weir.tck.model;

import io.weir.Limit;

/** A counter for each epoch; the current one and the earlier ones within the period are summed. */
final class SlidingEpochsModel extends Model {
  private final Fraction period;
  private final Fraction epoch;
  private WindowCounts windowCounts = new WindowCounts();

  SlidingEpochsModel(Limit.SlidingEpochs limit) {
    super(limit);
    period = millis(limit.period());
    epoch = period.dividedBy(Fraction.of(limit.epochs()));
  }

  private Fraction epochOf(Fraction now) {
    return now.roundedDownTo(epoch);
  }

  @Override
  boolean fits(long cost, Fraction now) {
    long spent = windowCounts.between(epochOf(now).minus(period), epochOf(now));
    return !windowCounts.isClosed(epochOf(now)) && spent + cost <= limit.permits();
  }

  @Override
  Fraction take(long cost, Fraction time) {
    Fraction start = epochOf(now(time));
    windowCounts.add(start, cost);
    return start;
  }

  /**
   * An epoch full of counted refusals stores no more than its capacity. How full it really was is
   * unknown, so nothing is given back.
   */
  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    if (!countsRejected() || windowCounts.at(mark) < limit.permits()) {
      windowCounts.takeOff(mark, permits);
    }
  }

  /** Counts in the current epoch, which a reservation may have opened. */
  @Override
  void force(long cost, Fraction time) {
    windowCounts.add(newest(now(time)), cost, limit.permits());
  }

  private Fraction newest(Fraction now) {
    return windowCounts.newest().map(epochOf(now)::max).orElse(epochOf(now));
  }

  /** The newest first, so that what is given back would have counted longest. */
  @Override
  void refund(long permits, Fraction now) {
    Fraction newest = windowCounts.newest().orElse(epochOf(now));
    long left = permits;
    for (Fraction e = newest; e.isAbove(newest.minus(period)); e = e.minus(epoch)) {
      left -= windowCounts.takeOff(e, left);
    }
  }

  @Override
  Fraction reset(Fraction now) {
    // Nothing passes before an epoch that a reservation has opened, and then what is older has
    // expired.
    return windowCounts
        .firstAfter(newest(now).minus(period))
        .map(oldest -> oldest.plus(period).minus(now))
        .orElse(Fraction.ZERO);
  }

  @Override
  boolean countsRejected() {
    return ((Limit.SlidingEpochs) limit).countRejected();
  }

  @Override
  Fraction reach(Fraction now) {
    return period;
  }

  @Override
  boolean goOnFrom(Model found, Fraction time) {
    windowCounts = ((SlidingEpochsModel) found).windowCounts.copy();
    Fraction present = epochOf(now(time));
    boolean isRelic = windowCounts.isClosed(present.plus(period));
    if (isRelic) {
      long spent = windowCounts.sumAfter(newest(present).minus(period));
      windowCounts.clear();
      windowCounts.add(present, spentByRelic(spent));
    }
    return isRelic;
  }
}
