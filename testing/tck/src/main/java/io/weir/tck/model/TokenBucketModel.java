package io.weir.tck.model;

import io.weir.Limit;
import java.util.Optional;

/**
 * Tokens drop into a bucket at a steady rate; what does not fit is lost; a permit is a token.
 *
 * <p>Limits of different rates may share a bucket. The missing amount then means two things: the
 * time until it is full, and a number of permits, which the fastest limit counts separately. Each
 * limit uses whichever takes longer at its own rate.
 */
final class TokenBucketModel extends DebtModel {
  private final Fraction burst;
  private final Fraction rate;

  /** When the bucket is full again; empty until the first use. */
  private Optional<Fraction> fullAt = Optional.empty();

  /** The same by the stored time only, without what is owed as permits. */
  private Optional<Fraction> fullByTime = Optional.empty();

  /** The largest burst of all limits that may have permits owed. */
  private long largest;

  /** What is owed by the count of the fastest limit; empty if that is this one. */
  private Optional<Owed> fastest = Optional.empty();

  /**
   * Permits that are paid back at the rate of one limit.
   *
   * @param permits of that limit in a period
   * @param until when all are paid back
   */
  private record Owed(long permits, Fraction interval, Fraction tick, Fraction until) {
    Fraction debt(Fraction time) {
      return until.minus(time.roundedDownTo(tick)).max(Fraction.ZERO);
    }

    Owed at(Fraction time, Fraction debt) {
      return new Owed(permits, interval, tick, time.roundedDownTo(tick).plus(debt));
    }

    Owed plus(long more, Fraction time) {
      return at(time, debt(time).plus(interval.times(more)));
    }

    Owed minus(Fraction less) {
      Fraction sooner = less.times(interval).roundedDownTo(part(interval, tick));
      return new Owed(permits, interval, tick, until.minus(sooner));
    }
  }

  TokenBucketModel(Limit.TokenBucket limit) {
    super(limit, limit.period());
    burst = Fraction.of(limit.capacity());
    rate = Fraction.of(limit.permits()).dividedBy(millis(limit.period()));
    largest = limit.capacity();
  }

  private Fraction level(Fraction now) {
    return burst.minus(debt(now).times(rate));
  }

  @Override
  boolean fits(long cost, Fraction now) {
    return !level(now).isBelow(Fraction.of(cost));
  }

  @Override
  Fraction take(long cost, Fraction time) {
    owe(debt(now(time)).plus(interval.times(cost)), now(time));
    fastest = fastest.map(owed -> owed.plus(cost, time));
    return now(time);
  }

  /**
   * Beyond a full debt, permits counted by other limits are kept as time only, for which other
   * limits wait.
   */
  @Override
  void force(long cost, Fraction time) {
    Fraction now = now(time);
    Fraction byTime = fullByTime.map(moment -> moment.minus(now)).orElse(Fraction.ZERO);
    Fraction before = debt(now).min(full()).max(fastest.isPresent() ? byTime : debt(now));
    owe(forced(before, cost, interval), now);
    fastest = fastest.map(owed -> owed.at(time, forced(owed.debt(time), cost, owed.interval())));
  }

  /**
   * Does not give back what has refilled since. A fuller bucket would have lost it, and it may have
   * been fuller, since earlier charges may have been given back.
   */
  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    Fraction flown = now.minus(mark).times(rate);
    Fraction stillMissing = Fraction.of(cost).minus(flown).max(Fraction.ZERO);
    fill(stillMissing.min(Fraction.of(permits)));
  }

  @Override
  void refund(long permits, Fraction now) {
    fill(Fraction.of(permits));
  }

  /** The bucket is not full before the owed permits have come, at the fastest rate. */
  private void fill(Fraction tokens) {
    Optional<Fraction> before = fastest.isPresent() ? fullByTime : fullAt;
    fastest = fastest.map(owed -> owed.minus(tokens));
    Optional<Fraction> earliest = fastest.map(owed -> roundedUp(owed.until()));
    fullAt =
        before
            .map(moment -> moment.minus(tokens.dividedBy(rate)))
            .map(moment -> earliest.map(moment::max).orElse(moment));
  }

  @Override
  Fraction reset(Fraction now) {
    return shortestWait(wait -> level(now.plus(wait)).equals(burst));
  }

  @Override
  Fraction paidBack(Fraction now) {
    return fullAt.map(now::max).orElse(now);
  }

  @Override
  void owe(Fraction debt, Fraction now) {
    fullAt = Optional.of(now.plus(debt));
  }

  @Override
  void takeOver(DebtModel old, Fraction time) {
    TokenBucketModel found = (TokenBucketModel) old;
    Fraction now = now(time);
    Owed owed = found.owed(found.now(time));
    if (owed.permits() <= limit.permits()) {
      owed = owedUntil(now).at(time, asPermits(owed.debt(time).dividedBy(owed.interval())));
    }
    Fraction asTime = asTime(found, time);
    fullByTime = Optional.of(now.plus(asTime));
    owe(asTime.max(asPermits(owed.debt(time).dividedBy(owed.interval()))), now);
    fastest = Optional.of(owed);
  }

  private Owed owed(Fraction now) {
    return fastest.orElseGet(() -> owedUntil(paidBack(now)));
  }

  private Owed owedUntil(Fraction until) {
    return new Owed(limit.permits(), interval, tick, until);
  }

  /**
   * Keeps no more owed permits than possible: twice the largest burst. More may result from a debt
   * kept as time while the rate was raised.
   */
  @Override
  void makeOwn(Model old, Fraction time) {
    TokenBucketModel found = (TokenBucketModel) old;
    Fraction now = now(time);
    boolean isWithin = !found.debt(found.now(time)).isAbove(found.full());
    largest = Math.max(limit.capacity(), isWithin ? found.limit.capacity() : found.largest);
    carryAsTime(found, largest);
    fullByTime.ifPresent(
        moment -> owe(moment.minus(now).max(debt(now).min(interval.times(largest).times(2))), now));
    fullByTime = Optional.empty();
    fastest = Optional.empty();
  }

  @Override
  long largestOf(DebtModel other) {
    largest = Math.max(largest, ((TokenBucketModel) other).largest);
    return largest;
  }

  @Override
  Fraction carriedInterval(DebtModel found) {
    return found.interval.max(interval);
  }
}
