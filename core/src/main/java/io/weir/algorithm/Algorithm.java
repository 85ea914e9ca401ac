package io.weir.algorithm;

import io.weir.Limit;
import io.weir.Standing;

/**
 * One limit, ready to be applied: pure functions from a bucket, a moment and a cost to the bucket
 * after it.
 *
 * <p>Moments are numbers that {@link #at} makes and only the algorithm understands; waits are whole
 * ticks, rounded up. Costs are from 1 to the limit's capacity: what is above can never fit, and the
 * stores say so without asking.
 *
 * <p>A bucket may lie in the future, because somebody reserved a later moment or because a clock
 * went back. Then requests are refused, or counted as of the bucket's own time: never is anything
 * granted twice. A bucket further in the future than a reservation reaches is cut to fully spent,
 * see {@link #mend}.
 */
public abstract sealed class Algorithm
    permits Gcra, FixedWindow, SlidingWindow, SlidingEpochs, SlidingLog {
  /** In place of a word: there are not enough permits. */
  public static final long REFUSED = -1;

  /** In place of a word: the bucket is to be mended first. */
  public static final long ASTRAY = -2;

  static final int WORD_BITS = 63;

  private final Limit limit;
  private final long capacity;
  private final Timeline timeline;
  private final long nanosPerTick;

  Algorithm(Limit limit, Timeline timeline) {
    this.limit = limit;
    this.capacity = limit.capacity();
    this.timeline = timeline;
    this.nanosPerTick = limit.tick().toNanos();
  }

  /** The algorithm of {@code limit} for moments of {@code timeline}. */
  public static Algorithm of(Limit limit, Timeline timeline) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new Gcra(bucket, timeline);
    }
    if (limit instanceof Limit.LeakyBucket bucket) {
      return new Gcra(bucket, timeline);
    }
    if (limit instanceof Limit.FixedWindow window) {
      return new FixedWindow(window, timeline);
    }
    if (limit instanceof Limit.SlidingWindow window) {
      return new SlidingWindow(window, timeline);
    }
    if (limit instanceof Limit.SlidingEpochs epochs) {
      return new SlidingEpochs(epochs, timeline);
    }
    return new SlidingLog((Limit.SlidingLog) limit, timeline);
  }

  /** The limit. */
  public final Limit limit() {
    return limit;
  }

  final Timeline timeline() {
    return timeline;
  }

  /** The most permits that fit at one moment. */
  public final long capacity() {
    return capacity;
  }

  /** The moment of a clock's {@code epochNanos}. */
  public long at(long epochNanos) {
    return timeline.clampedMillis(Math.floorDiv(epochNanos, 1_000_000L));
  }

  /** The moment that a caller names in milliseconds; off the timeline it is refused. */
  public long atMillis(long epochMillis) {
    return timeline.millis(epochMillis);
  }

  /** The moment {@code ticks} after {@code now}. */
  public long later(long now, long ticks) {
    return now + ticks;
  }

  /** The length of {@code ticks}. */
  public final long nanos(long ticks) {
    return ticks * nanosPerTick;
  }

  /** How many ticks, rounded down, a wait of {@code nanos} has. */
  public final long ticks(long nanos) {
    return nanos / nanosPerTick;
  }

  /** How many words a bucket has. */
  public abstract int words();

  /** Whether a bucket is one word, changed by {@link #take(long, long, long)}. */
  public final boolean isOneWord() {
    return words() == 1;
  }

  /** Whether refused requests count too. */
  public boolean countsRejected() {
    return false;
  }

  /**
   * The word after taking {@code cost} permits, or {@link #REFUSED}, or {@link #ASTRAY} if the
   * bucket needs {@link #mend}. Only where a bucket is one word.
   */
  public long take(long word, long now, long cost) {
    throw new IllegalStateException(limit + " needs " + words() + " words");
  }

  /** Whether a bucket lies further in the future than it can. */
  public abstract boolean isAstray(Bucket bucket, long now);

  /** Cuts a bucket that {@link #isAstray} to fully spent. */
  public final void mend(Bucket bucket, long now) {
    if (isAstray(bucket, now)) {
      spend(bucket, now);
    }
  }

  /** Makes a bucket one that is fully spent at {@code now}. */
  abstract void spend(Bucket bucket, long now);

  /** Ticks until {@code cost} permits fit if nobody else comes; 0 if they fit now. */
  public abstract long waitFor(Bucket bucket, long now, long cost);

  /**
   * Takes {@code cost} permits at the moment {@code at}, where they fit.
   *
   * @param now the present, which is {@code at} unless this is a reservation
   */
  public abstract void take(Bucket bucket, long now, long at, long cost);

  /** Ticks that a request allowed at {@code now} is to be held; asked before it is taken. */
  public long delay(Bucket bucket, long now) {
    return 0;
  }

  /** Takes {@code cost} permits, there or not, up to what the bucket can remember. */
  public abstract void force(Bucket bucket, long now, long cost);

  /** What identifies a charge of {@code cost} that was just taken at {@code at}. */
  public abstract Mark mark(Bucket bucket, long at, long cost);

  /**
   * Gives back {@code cost} permits of the charge that left {@code mark}, as far as that leaves no
   * more than if they had not been taken.
   */
  public abstract void giveBack(Bucket bucket, long now, Mark mark, long cost);

  /** Gives back {@code permits}, never above full. */
  public abstract void refund(Bucket bucket, long now, long permits);

  /** How many permits could be taken, one at a time, at {@code now}. */
  public abstract long remaining(Bucket bucket, long now);

  /** Ticks until the bucket is full, the queue empty, or the window or the oldest entry's over. */
  public abstract long resetIn(Bucket bucket, long now);

  /** {@link #isFresh(Bucket, long)} where a bucket is one word. */
  public boolean isFresh(long word, long now) {
    throw new IllegalStateException(limit + " needs " + words() + " words");
  }

  /** Whether the bucket decides like one that nobody has touched, now and ever after. */
  public abstract boolean isFresh(Bucket bucket, long now);

  /** How many ticks ahead a reservation may lie. */
  public abstract long reach(long now);

  /**
   * Makes the untouched {@code bucket} go on from {@code old}, a bucket of a limit that {@link
   * Limit#sharesBucketsWith} this one: a debt is kept as time, a count as a count, capped.
   */
  public abstract void inherit(Bucket bucket, long now, Algorithm from, Bucket old);

  /**
   * Fills the untouched {@code bucket} with a state that was kept elsewhere, as numbers that do not
   * depend on the limit's size. Buckets: the moment at which it is full, in ticks and parts of one.
   * Windows: the moment at which the newest began, and its count; then, if it slides, the count
   * before it. A state of zeros is that of an untouched bucket.
   */
  public void load(Bucket bucket, long... state) {
    throw new UnsupportedOperationException(limit + " is not loaded");
  }

  /** When the window begins that is {@code ahead} after the one of {@code now}. */
  public long windowStart(long now, int ahead) {
    throw new UnsupportedOperationException(limit + " has no windows");
  }

  /** How the caller stands after a decision on {@code cost} at {@code now}. */
  public final Standing standing(Bucket bucket, long now, long cost, boolean granted) {
    boolean waits = !granted && cost > 0 && cost <= capacity;
    return standing(bucket, now, cost, waits ? waitFor(bucket, now, cost) : 0);
  }

  /**
   * How the caller stands after a reservation that was refused, perhaps only because its turn comes
   * too late: the wait is the one after which the request need not be held any more.
   */
  public final Standing standingUnreserved(Bucket bucket, long now, long cost) {
    boolean waits = cost > 0 && cost <= capacity;
    long wait = waits ? waitFor(bucket, now, cost) : 0;
    return standing(bucket, now, cost, waits ? Math.max(wait, delay(bucket, now)) : 0);
  }

  private Standing standing(Bucket bucket, long now, long cost, long wait) {
    long remaining = remaining(bucket, now);
    long growth = remaining < capacity ? nanos(waitFor(bucket, now, remaining + 1)) : 0;
    long reset = nanos(resetIn(bucket, now));
    if (cost > capacity) {
      return Standing.neverFits(limit, remaining, growth, reset);
    }
    return Standing.of(limit, remaining, nanos(wait), growth, reset);
  }

  /**
   * The time of a charge, as the algorithm counts it.
   *
   * @param time a tick, a window or an epoch
   * @param part of a tick
   */
  public record Mark(long time, long part) {}

  static int bits(long largest) {
    return Long.SIZE - Long.numberOfLeadingZeros(largest);
  }

  @Override
  public final String toString() {
    return limit.toString();
  }
}
