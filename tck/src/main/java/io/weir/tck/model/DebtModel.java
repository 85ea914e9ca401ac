package io.weir.tck.model;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;

/** What token and leaky bucket have in common: a debt, which time pays back at a steady rate. */
abstract class DebtModel extends Model {
  private static final long MOST_CARRIED = (1L << 32) - 1;
  private static final Fraction MOST_DEBT = millis(Limit.MAX_PERIOD).times(2);
  private static final int LATE_TICKS = 3;

  /** The time in which one permit is paid back; zero if that never happens. */
  final Fraction interval;

  /**
   * The capacity of the largest limit under which the debt may have been made, in permits of this
   * one, while the debt is more than this one allows; else its own.
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

  /** When all is paid back, if nothing more is taken; {@code now} or before if it is. */
  abstract Fraction paidBack(Fraction now);

  /** Makes all be paid back {@code debt} after {@code now}. */
  abstract void owe(Fraction debt, Fraction now);

  /** Goes on from the debt of {@code found}. */
  abstract void takeOver(DebtModel found, Fraction time);

  /** Which interval the carried permits of {@code found} are to be measured by. */
  abstract Fraction carriedInterval(DebtModel found);

  final Fraction debt(Fraction now) {
    return paidBack(now).minus(now).max(Fraction.ZERO);
  }

  /** The debt of an empty bucket. */
  final Fraction full() {
    return interval.times(limit.capacity());
  }

  /** Up to twice as much as the largest limit allows is remembered. */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time);
    owe(forced(debt(now), cost, interval), now);
  }

  /** {@code debt} and {@code cost} permits of {@code interval} more, as far as is remembered. */
  final Fraction forced(Fraction debt, long cost, Fraction interval) {
    Fraction most = interval.times(carried).times(2);
    return debt.max(debt.plus(interval.times(cost)).min(most));
  }

  @Override
  final Fraction reach(Fraction now) {
    return full().roundedDownTo(tick);
  }

  /** A reservation reaches one refill ahead, and then the bucket may be empty once more. */
  private boolean isRelic(DebtModel found, Fraction time) {
    Fraction longest = found.interval.times(found.carried).max(full());
    Fraction farthest =
        found
            .now(time)
            .plus(longest.roundedDownTo(found.tick).times(2))
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
   * The permits that {@code found} carries, each of them one of {@code interval}, in own permits.
   */
  private long carriedFrom(DebtModel found, Fraction interval) {
    BigInteger permits =
        interval.times(found.carried).dividedBy(this.interval).roundedUpTo(Fraction.ONE).floor();
    long most = permits.min(BigInteger.valueOf(MOST_CARRIED)).longValueExact();
    return Math.max(limit.capacity(), most);
  }

  /** Carries what {@code found} does as time, or as many as {@code least} if that is more. */
  final void carryAsTime(DebtModel found, long least) {
    if (carried > limit.capacity()) {
      carried = Math.max(least, carriedFrom(found, found.interval));
    }
  }

  @Override
  final void rememberAtLeast(Model other) {
    DebtModel that = (DebtModel) other;
    carried = Math.max(carried, Math.max(carriedFrom(that, that.interval), largestOf(that)));
  }

  /** The largest capacity, in whatever permits, that this one and {@code other} remember. */
  abstract long largestOf(DebtModel other);

  /** The debt of {@code found} as time. */
  final Fraction asTime(DebtModel found, Fraction time) {
    return roundedUp(found.paidBack(found.now(time)).minus(now(time)));
  }

  /** The debt of as many {@code permits} of this limit, or the longest that there is. */
  final Fraction asPermits(Fraction permits) {
    return roundedUp(permits.times(interval)).min(MOST_DEBT);
  }

  /** {@code debt} in the parts of a tick that this limit's intervals are whole numbers of. */
  final Fraction roundedUp(Fraction debt) {
    return debt.roundedUpTo(part(interval, tick));
  }

  /** The longest time that both a tick and an interval are whole numbers of. */
  static Fraction part(Fraction interval, Fraction tick) {
    BigInteger parts = interval.dividedBy(tick).denominator();
    return tick.dividedBy(new Fraction(parts, BigInteger.ONE));
  }
}
