package io.weir.tck.model;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One limit for one key, as defined. Times and waits are exact milliseconds.
 *
 * <p>A model only defines what fits when, and what is spent by taking it. Everything else in a
 * decision follows by definition and is searched for, not calculated. The remaining permits are the
 * greatest cost that fits; a wait is the shortest after which the request fits.
 */
abstract class Model {
  final Limit limit;
  final Fraction tick;

  /** The most that any limit may have spent of this bucket, as far as this one knows. */
  private long room;

  Model(Limit limit) {
    this.limit = limit;
    this.tick = Fraction.of(limit.tick().toNanos(), 1_000_000);
    this.room = limit.capacity();
  }

  /** The bucket may be shared with limits of at most {@code permits}. */
  final void makeRoomFor(long permits) {
    room = Math.max(room, permits);
  }

  /** The bucket may be shared with the limits of {@code other}. */
  final void makeRoomLike(Model other) {
    makeRoomFor(other.room);
  }

  /** What counts as spent where a clock was put back and {@code found} is what had been granted. */
  final long spentByRelic(long found) {
    return Math.max(limit.permits(), Math.min(room, found));
  }

  /** The model of {@code limit} for a new key. */
  static Model of(Limit limit) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new TokenBucketModel(bucket);
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return new LeakyBucketModel(bucket);
    } else if (limit instanceof Limit.FixedWindow window) {
      return new FixedWindowModel(window);
    } else if (limit instanceof Limit.SlidingLog log) {
      return new SlidingLogModel(log);
    } else if (limit instanceof Limit.SlidingWindow window) {
      return new SlidingWindowModel(window);
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      return new SlidingEpochsModel(epochs);
    }
    throw new AssertionError("no model of " + limit);
  }

  /** Whether {@code cost} permits, at most the limit's capacity, could be taken at {@code now}. */
  abstract boolean fits(long cost, Fraction now);

  /**
   * Takes {@code cost} permits at {@code time}, where they fit. Returns a mark that identifies
   * where to give them back later.
   */
  abstract Fraction take(long cost, Fraction time);

  /**
   * Gives back {@code permits} of {@code cost} that were taken under this limit and left {@code
   * mark}, as far as no more remains than if never taken.
   */
  abstract void giveBack(Fraction mark, long cost, long permits, Fraction now);

  /**
   * Takes {@code cost} permits even if they are not available, as far as the limit remembers a
   * debt.
   */
  abstract void force(long cost, Fraction time);

  /** Gives back {@code permits} without a receipt, up to the limit's capacity. */
  abstract void refund(long permits, Fraction now);

  /** How long after {@code now} the limit is full, or this window ends. */
  abstract Fraction reset(Fraction now);

  /**
   * Continues from {@code found}: the bucket as last written, under this limit or another one of
   * the same algorithm and period. Nothing is cut off, even if it is more than this limit has. A
   * count is kept as a count, a debt as time. The debt of a token bucket is kept as time or as
   * permits of the limit that wrote it, whichever takes longer.
   *
   * <p>If something lies further ahead of {@code time} than a reservation reaches, the clock has
   * stepped back. Then all permits of the largest known limit count as spent now.
   *
   * @return whether the clock has stepped back; then the bucket is written by any operation
   */
  abstract boolean goOnFrom(Model found, Fraction time);

  /** Forgets other limits: what was taken over now belongs to this one. */
  void makeOwn(Model found, Fraction time) {}

  /**
   * Forgets a larger limit if no more is counted at {@code time} than this one has. A store that
   * converts all buckets at once may do so before a change, since no wait becomes longer.
   */
  void forgetLarger(Fraction time) {}

  /** Remembers at least as large a limit as {@code other} does, of the same buckets. */
  void widenTo(Model other) {}

  /** How far after {@code now} a reservation may lie. */
  abstract Fraction reach(Fraction now);

  /** How long after {@code now} a request must be delayed. */
  Fraction delay(Fraction now) {
    return Fraction.ZERO;
  }

  boolean countsRejected() {
    return false;
  }

  /** The tick that {@code time} lies in. */
  final Fraction now(Fraction time) {
    return time.roundedDownTo(tick);
  }

  final boolean canEverFit(long cost) {
    return cost <= limit.capacity();
  }

  final boolean allows(long cost, Fraction now) {
    return cost == 0 || (canEverFit(cost) && fits(cost, now));
  }

  /** The greatest cost that fits. */
  final long remaining(Fraction now) {
    long fitting = 0;
    long unfitting = limit.capacity() + 1;
    while (unfitting - fitting > 1) {
      long middle = fitting + (unfitting - fitting) / 2;
      if (fits(middle, now)) {
        fitting = middle;
      } else {
        unfitting = middle;
      }
    }
    return fitting;
  }

  /** The shortest wait after which {@code cost} fits; empty if it never does. */
  final Optional<Fraction> retry(long cost, Fraction now) {
    if (cost > 0 && !canEverFit(cost)) {
      return Optional.empty();
    }
    return Optional.of(shortestWait(wait -> allows(cost, now.plus(wait))));
  }

  /** The shortest wait after which {@code cost} fits without a delay; empty if never. */
  final Optional<Fraction> turn(long cost, Fraction now) {
    return retry(cost, now)
        .map(
            fits ->
                fits.plus(
                    shortestWait(wait -> delay(now.plus(fits).plus(wait)).equals(Fraction.ZERO))));
  }

  /** The shortest wait after which more remains than at {@code now}; empty if there is no more. */
  final Optional<Fraction> growth(Fraction now) {
    long before = remaining(now);
    if (before == limit.capacity()) {
      return Optional.empty();
    }
    return Optional.of(shortestWait(wait -> fits(before + 1, now.plus(wait))));
  }

  /** The shortest wait, in whole ticks, that is long enough; so must be all longer ones. */
  final Fraction shortestWait(Predicate<Fraction> longEnough) {
    if (longEnough.test(Fraction.ZERO)) {
      return Fraction.ZERO;
    }
    BigInteger tooShort = BigInteger.ZERO;
    BigInteger enough = BigInteger.ONE;
    while (!longEnough.test(ticks(enough))) {
      tooShort = enough;
      enough = enough.shiftLeft(1);
      if (enough.bitLength() > 80) {
        throw new AssertionError("no wait is long enough for " + limit);
      }
    }
    while (enough.subtract(tooShort).compareTo(BigInteger.ONE) > 0) {
      BigInteger middle = enough.add(tooShort).shiftRight(1);
      if (longEnough.test(ticks(middle))) {
        enough = middle;
      } else {
        tooShort = middle;
      }
    }
    return ticks(enough);
  }

  private Fraction ticks(BigInteger count) {
    return new Fraction(count, BigInteger.ONE).times(tick);
  }

  static Fraction millis(Duration duration) {
    return Fraction.of(duration.toMillis());
  }
}
