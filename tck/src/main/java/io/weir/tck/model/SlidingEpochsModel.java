package io.weir.tck.model;

import io.weir.Limit;

/** A counter for each epoch; the current one and those before it within the period are summed. */
final class SlidingEpochsModel extends Model {
  private final Fraction period;
  private final Fraction epoch;
  private Counters counters = new Counters();

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
    long spent = counters.between(epochOf(now).minus(period), epochOf(now));
    return !counters.isClosed(epochOf(now)) && spent + cost <= limit.permits();
  }

  @Override
  Taken take(long cost, Fraction time) {
    Fraction start = epochOf(now(time));
    counters.add(start, cost);
    // One epoch that is full of counted refusals is as good as any that is fuller: nothing is known
    // of how full it was, and so nothing is given back.
    return (permits, now) -> {
      if (!countsRejected() || counters.at(start) < limit.permits()) {
        counters.takeOff(start, permits);
      }
    };
  }

  /** In the epoch that is counted now, which may be one that a reservation has opened. */
  @Override
  void force(long cost, Fraction time) {
    Fraction epoch = newest(now(time));
    counters.add(epoch, Math.min(cost, limit.permits() - counters.at(epoch)));
  }

  private Fraction newest(Fraction now) {
    return counters.newest().map(epochOf(now)::max).orElse(epochOf(now));
  }

  @Override
  void clear() {
    counters.clear();
  }

  @Override
  void mend(Fraction time) {
    Fraction epoch = epochOf(now(time));
    if (counters.isClosed(epoch.plus(period))) {
      clear();
      counters.add(epoch, limit.permits());
    }
  }

  /** The newest first, so that what is given back would have counted longest. */
  @Override
  void refund(long permits, Fraction now) {
    Fraction newest = counters.newest().orElse(epochOf(now));
    long left = permits;
    for (Fraction e = newest; e.isAbove(newest.minus(period)); e = e.minus(epoch)) {
      left -= counters.takeOff(e, left);
    }
  }

  @Override
  Fraction reset(Fraction now) {
    // Nothing passes before an epoch that a reservation has opened, and then what is older is out.
    return counters
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
  void inherit(Model old, Fraction time) {
    counters = ((SlidingEpochsModel) old).counters.copy();
    counters.capAt(limit.permits());
  }

  @Override
  SlidingEpochsModel copy() {
    SlidingEpochsModel copy = new SlidingEpochsModel((Limit.SlidingEpochs) limit);
    copy.counters = counters.copy();
    return copy;
  }
}
