package io.weir.tck.model;

import io.weir.Limit;
import java.util.Optional;

/** Tokens drop into a bucket at a steady rate; what does not fit is lost; a permit is a token. */
final class TokenBucketModel extends Model {
  private final Fraction burst;
  private final Fraction rate;

  /** The tokens in the bucket at {@code at}; less than none where they are promised already. */
  private Fraction level;

  /** Empty as long as nobody has touched the bucket, which has been full for ever. */
  private Optional<Fraction> at = Optional.empty();

  TokenBucketModel(Limit.TokenBucket limit) {
    super(limit);
    burst = Fraction.of(limit.capacity());
    rate = Fraction.of(limit.permits()).dividedBy(millis(limit.period()));
    level = burst;
  }

  private Fraction level(Fraction now) {
    return at.map(then -> level.plus(now.minus(then).times(rate)).min(burst)).orElse(burst);
  }

  @Override
  boolean fits(long cost, Fraction now) {
    return !level(now).isBelow(Fraction.of(cost));
  }

  @Override
  Taken take(long cost, Fraction time) {
    set(level(now(time)).minus(Fraction.of(cost)), now(time));
    return (permits, now) -> {
      // What has flowed in since would have been lost, perhaps, had the bucket been fuller: it may
      // have been, since others before this one may have been given back.
      Fraction flown = now.minus(now(time)).times(rate);
      Fraction stillMissing = Fraction.of(cost).minus(flown).max(Fraction.ZERO);
      fill(stillMissing.min(Fraction.of(permits)), now);
    };
  }

  @Override
  void force(long cost, Fraction time) {
    Fraction after = level(now(time)).minus(Fraction.of(cost));
    set(after.max(burst.times(-1)), now(time));
  }

  @Override
  void clear() {
    level = burst;
    at = Optional.empty();
  }

  /** A reservation reaches one refill ahead, and then the bucket may be empty once more. */
  @Override
  void mend(Fraction time) {
    Fraction now = now(time);
    Fraction farthest = now.plus(reach(now).times(2)).plus(tick.times(3));
    if (at.isPresent() && now(at.get().plus(untilFull())).isAbove(farthest)) {
      set(Fraction.ZERO, now);
    }
  }

  @Override
  void refund(long permits, Fraction now) {
    fill(Fraction.of(permits), now);
  }

  private void fill(Fraction tokens, Fraction now) {
    set(level(now).plus(tokens).min(burst), now);
  }

  @Override
  Fraction reset(Fraction now) {
    return shortestWait(wait -> level(now.plus(wait)).equals(burst));
  }

  private Fraction untilFull() {
    return level.equals(burst) ? Fraction.ZERO : burst.minus(level).dividedBy(rate);
  }

  private void set(Fraction level, Fraction at) {
    this.level = level;
    this.at = Optional.of(at);
  }

  @Override
  Fraction reach(Fraction now) {
    return limit.permits() == 0 ? Fraction.ZERO : burst.dividedBy(rate).roundedDownTo(tick);
  }

  @Override
  void inherit(Model old, Fraction time) {
    TokenBucketModel that = (TokenBucketModel) old;
    Fraction missing = that.burst.minus(that.level(that.now(time)));
    if (limit.permits() > 0 && missing.isAbove(Fraction.ZERO)) {
      Fraction full = that.now(time).plus(missing.dividedBy(that.rate));
      Fraction debt = roundedUp(full.minus(now(time)), Fraction.ONE.dividedBy(rate));
      set(burst.minus(debt.times(rate)).max(Fraction.ZERO), now(time));
    }
  }

  @Override
  TokenBucketModel copy() {
    TokenBucketModel copy = new TokenBucketModel((Limit.TokenBucket) limit);
    at.ifPresent(then -> copy.set(level, then));
    return copy;
  }
}
