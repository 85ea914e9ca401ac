package io.weir.tck.model;

import io.weir.Limit;
import java.util.Optional;

/** A queue whose turns come at a steady rate: all that matters is the next turn that is free. */
final class LeakyBucketModel extends Model {
  private final long queue;
  private final Fraction interval;

  /** Empty as long as nobody has queued. Turns before it are taken, or have gone by. */
  private Optional<Fraction> next = Optional.empty();

  LeakyBucketModel(Limit.LeakyBucket limit) {
    super(limit);
    queue = limit.queue();
    interval =
        limit.permits() == 0
            ? Fraction.ZERO
            : millis(limit.period()).dividedBy(Fraction.of(limit.permits()));
  }

  private Fraction nextTurn(Fraction now) {
    return next.map(now::max).orElse(now);
  }

  private boolean idle(Fraction now) {
    return nextTurn(now).equals(now);
  }

  /** How many turns are taken that are still to come after {@code now}, by one that is not idle. */
  private long waiting(Fraction now) {
    Fraction turns = nextTurn(now).minus(now).dividedBy(interval);
    return turns.roundedUpTo(Fraction.ONE).floor().longValueExact() - 1;
  }

  /** One that may go at once needs no place in the queue; the turns that it keeps empty do. */
  @Override
  boolean fits(long cost, Fraction now) {
    return idle(now) ? cost - 1 <= queue : waiting(now) + cost <= queue;
  }

  @Override
  Taken take(long cost, Fraction time) {
    Fraction after = nextTurn(now(time)).plus(interval.times(cost));
    next = Optional.of(after);
    return (permits, now) -> {
      boolean isLast = next.equals(Optional.of(after));
      if (isLast && after.isAbove(now)) {
        refund(permits, now);
      }
    };
  }

  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time);
    Fraction after = nextTurn(now).plus(interval.times(cost));
    next = Optional.of(after.min(now.plus(full().times(2))));
  }

  private Fraction full() {
    return interval.times(queue + 1);
  }

  @Override
  void refund(long permits, Fraction now) {
    next = next.map(turn -> turn.minus(interval.times(permits)));
  }

  @Override
  void clear() {
    next = Optional.empty();
  }

  /** A reservation reaches a full queue ahead, and then there may be another. */
  @Override
  void mend(Fraction time) {
    Fraction now = now(time);
    Fraction farthest = now.plus(reach(now).times(2)).plus(tick.times(3));
    if (now(nextTurn(now)).isAbove(farthest)) {
      next = Optional.of(now.plus(full()));
    }
  }

  @Override
  Fraction delay(Fraction now) {
    return nextTurn(now).minus(now).roundedUpTo(tick);
  }

  @Override
  Fraction reset(Fraction now) {
    return delay(now);
  }

  @Override
  Fraction reach(Fraction now) {
    return full().roundedDownTo(tick);
  }

  @Override
  void inherit(Model old, Fraction time) {
    LeakyBucketModel that = (LeakyBucketModel) old;
    if (limit.permits() > 0 && !that.idle(that.now(time))) {
      Fraction debt = that.nextTurn(that.now(time)).minus(now(time));
      next = Optional.of(now(time).plus(roundedUp(debt, interval).min(full())));
    }
  }

  @Override
  LeakyBucketModel copy() {
    LeakyBucketModel copy = new LeakyBucketModel((Limit.LeakyBucket) limit);
    copy.next = next;
    return copy;
  }
}
