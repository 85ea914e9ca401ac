package io.weir.tck.model;

import io.weir.Limit;
import java.util.Optional;

/** A queue with turns at a steady rate: its whole state is the next free turn. */
final class LeakyBucketModel extends DebtModel {
  private final long queue;

  /** Empty until a request has queued. Earlier turns are taken or past. */
  private Optional<Fraction> next = Optional.empty();

  LeakyBucketModel(Limit.LeakyBucket limit) {
    super(limit, limit.period());
    queue = limit.queue();
  }

  private Fraction nextTurn(Fraction now) {
    return next.map(now::max).orElse(now);
  }

  private boolean idle(Fraction now) {
    return nextTurn(now).equals(now);
  }

  /** How many taken turns are still to come after {@code now}, if the queue is not idle. */
  private long waiting(Fraction now) {
    Fraction turns = nextTurn(now).minus(now).dividedBy(interval);
    return turns.roundedUpTo(Fraction.ONE).floor().longValueExact() - 1;
  }

  /**
   * A request that may go at once needs no place in the queue, but the turns that it leaves unused
   * do.
   */
  @Override
  boolean fits(long cost, Fraction now) {
    return idle(now) ? cost - 1 <= queue : waiting(now) + cost <= queue;
  }

  @Override
  Fraction take(long cost, Fraction time) {
    Fraction after = nextTurn(now(time)).plus(interval.times(cost));
    next = Optional.of(after);
    return after;
  }

  /**
   * Only the last request in the queue gives its place back: the turns of others are announced
   * already.
   */
  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    boolean isLast = next.equals(Optional.of(mark));
    if (isLast && mark.isAbove(now)) {
      refund(permits, now);
    }
  }

  @Override
  void refund(long permits, Fraction now) {
    next = next.map(turn -> turn.minus(interval.times(permits)));
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
  Fraction paidBack(Fraction now) {
    return nextTurn(now);
  }

  @Override
  void owe(Fraction debt, Fraction now) {
    next = Optional.of(now.plus(debt));
  }

  /** An announced turn is a moment, whatever the rate is now. */
  @Override
  void takeOver(DebtModel found, Fraction time) {
    owe(asTime(found, time), now(time));
  }

  @Override
  Fraction carriedInterval(DebtModel found) {
    return found.interval;
  }

  @Override
  long largestOf(DebtModel other) {
    return limit.capacity(); // a debt is time
  }
}
