package io.weir.tck.model;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;

/** The common part of token and leaky bucket: a debt, which time pays back at a steady rate. */
abstract class DebtModel extends Model {
  private static final long MAX_CARRIED = (1L << 32) - 1;
  private static final Fraction MAX_DEBT = millis(Limit.MAX_PERIOD).times(2);
  private static final int LATE_TICKS = 3;

  /** The time in which one permit is paid back; zero if that never happens. */
  final Fraction interval;

  /**
   * While the debt is more than this limit allows: the capacity of the largest limit that may have
   * caused it, in permits of this one. Otherwise this limit's own capacity.
   */
  private long carried;

  DebtModel(Limit limit, Duration period) {
    super(limit);
    interval =
        limit.permits() == 0
            ? Fraction.ZERO
            : millis(period).dividedBy(Fraction.of(limit.permits()));
    carried = limit.capacity();
  }

  /** When all is paid back, if nothing more is taken; {@code now} or earlier if it is already. */
  abstract Fraction paidBack(Fraction now);

  /** Sets the debt to {@code debt}, as of {@code now}. */
  abstract void owe(Fraction debt, Fraction now);

  /** Continues from the debt of {@code found}. */
  abstract void takeOver(DebtModel found, Fraction time);

  /** The interval by which the carried permits of {@code found} are measured. */
  abstract Fraction carriedInterval(DebtModel found);

  final Fraction debt(Fraction now) {
    return paidBack(now).minus(now).max(Fraction.ZERO);
  }

  /** The debt of an empty bucket. */
  final Fraction full() {
    return interval.times(limit.capacity());
  }

  /** At most twice the largest limit's capacity is remembered. */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time);
    owe(forced(debt(now), cost, interval), now);
  }

  /** {@code debt} plus {@code cost} permits of {@code interval}, up to what is remembered. */
  final Fraction forced(Fraction debt, long cost, Fraction interval) {
    Fraction max = interval.times(carried).times(2);
    return debt.max(debt.plus(interval.times(cost)).min(max));
  }

  @Override
  final Fraction reach(Fraction now) {
    return full().roundedDownTo(tick);
  }

  /** A debt further ahead than one refill plus one empty bucket cannot come from a reservation. */
  private boolean isRelic(DebtModel found, Fraction time) {
    Fraction maxDebt = found.interval.times(found.carried).max(full());
    Fraction farthest =
        found
            .now(time)
            .plus(maxDebt.roundedDownTo(found.tick).times(2))
            .plus(found.tick.times(LATE_TICKS));
    return found.now(found.paidBack(found.now(time))).isAbove(farthest);
  }

  @Override
  final boolean goOnFrom(Model old, Fraction time) {
    DebtModel found = (DebtModel) old;
    Fraction now = now(time);
    if (isRelic(found, time)) {
      carried = carriedFrom(found);
      owe(interval.times(carried), now);
      return true;
    }
    if (found.debt(found.now(time)).isAbove(Fraction.ZERO)) {
      takeOver(found, time);
      carried = debt(now).isAbove(full()) ? carriedFrom(found) : limit.capacity();
    }
    return false;
  }

  @Override
  final void forgetLarger(Fraction time) {
    if (!debt(now(time)).isAbove(full())) {
      carried = limit.capacity();
    }
  }

  private long carriedFrom(DebtModel found) {
    return carriedFrom(found, carriedInterval(found));
  }

  /**
   * The carried permits of {@code found}, each worth {@code interval}, in permits of this limit.
   */
  private long carriedFrom(DebtModel found, Fraction interval) {
    BigInteger permits =
        interval.times(found.carried).dividedBy(this.interval).roundedUpTo(Fraction.ONE).floor();
    long max = permits.min(BigInteger.valueOf(MAX_CARRIED)).longValueExact();
    return Math.max(limit.capacity(), max);
  }

  /** Carries what {@code found} carries as time, but at least {@code min}. */
  final void carryAsTime(DebtModel found, long min) {
    if (carried > limit.capacity()) {
      carried = Math.max(min, carriedFrom(found, found.interval));
    }
  }

  @Override
  final void widenTo(Model other) {
    DebtModel that = (DebtModel) other;
    carried = Math.max(carried, Math.max(carriedFrom(that, that.interval), largestOf(that)));
  }

  /** The largest capacity that this one and {@code other} remember, in their own permits. */
  abstract long largestOf(DebtModel other);

  /** The debt of {@code found} as time. */
  final Fraction asTime(DebtModel found, Fraction time) {
    return roundedUp(found.paidBack(found.now(time)).minus(now(time)));
  }

  /** The debt of this many {@code permits} of this limit, or the longest possible debt. */
  final Fraction asPermits(Fraction permits) {
    return roundedUp(permits.times(interval)).min(MAX_DEBT);
  }

  /** {@code debt} rounded up to the resolution of this limit's intervals. */
  final Fraction roundedUp(Fraction debt) {
    return debt.roundedUpTo(part(interval, tick));
  }

  /** The longest time that divides both a tick and an interval. */
  static Fraction part(Fraction interval, Fraction tick) {
    BigInteger parts = interval.dividedBy(tick).denominator();
    return tick.dividedBy(new Fraction(parts, BigInteger.ONE));
  }
}
