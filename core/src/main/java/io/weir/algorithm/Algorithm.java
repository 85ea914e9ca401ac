package io.weir.algorithm;

import io.weir.Limit;
import io.weir.LimitStatus;
import java.util.List;

/**
 * One limit, ready to be applied: pure functions from a bucket, a moment and a cost to the next
 * state of the bucket. Thread-safe, apart from the buckets that are passed in.
 *
 * <p>Moments are numbers that {@link #at} makes and only the algorithm can interpret. Waits are
 * whole ticks, rounded up. Costs are from 1 to the limit's capacity; stores refuse higher costs
 * without a call.
 *
 * <p>A bucket may lie in the future, because a later moment was reserved or because a clock went
 * back. Requests are then refused, or counted as of the bucket's own time, so that nothing is
 * granted twice. A bucket further in the future than a reservation reaches is set to fully spent,
 * see {@link #mend}.
 */
public abstract sealed class Algorithm
    permits Gcra, FixedWindow, SlidingWindow, SlidingEpochs, SlidingLog {
  /** Returned instead of a word: there are not enough permits. */
  public static final long REFUSED = -1;

  /** Returned instead of a word: the bucket has to be mended first. */
  public static final long ASTRAY = -2;

  /** The largest {@link #room}: what fits into 32 bits. */
  public static final long MAX_ROOM = (1L << 32) - 1;

  static final int WORD_BITS = 63;

  private final Limit limit;
  private final long capacity;
  private final long room;
  private final Timeline timeline;
  private final long nanosPerTick;
  private Object origin = this;

  Algorithm(Limit limit, Timeline timeline, long room) {
    this.limit = limit;
    this.capacity = limit.capacity();
    this.room = Math.max(capacity, Math.min(room, MAX_ROOM));
    this.timeline = timeline;
    this.nanosPerTick = limit.tick().toNanos();
  }

  /** The algorithm of {@code limit} for moments of {@code timeline}. */
  public static Algorithm of(Limit limit, Timeline timeline) {
    return of(limit, timeline, limit.capacity());
  }

  /**
   * The algorithm of {@code limit} for buckets that a larger limit may have written before.
   *
   * @param room the most permits that a bucket may have spent under any of those limits; a value
   *     below the capacity means the capacity
   */
  public static Algorithm of(Limit limit, Timeline timeline, long room) {
    return of(limit, timeline, room, room, 0);
  }

  /**
   * The algorithm of {@code limit} for buckets written under {@code before}, if they are
   * compatible.
   */
  public static Algorithm of(Limit limit, Timeline timeline, List<Algorithm> before) {
    long room = limit.capacity();
    long largest = limit.capacity();
    long rate = 0;
    for (Algorithm each : before) {
      if (each.limit.sharesBucketsWith(limit)) {
        room = Math.max(room, each.roomUnder(limit));
        largest = Math.max(largest, each.largest());
        rate = each.rate();
      }
    }
    return of(limit, timeline, room, largest, rate);
  }

  /**
   * @param rateBefore the permits in a period by which a debt is measured if {@code limit} has
   *     none; 0 if there is no debt
   */
  private static Algorithm of(
      Limit limit, Timeline timeline, long room, long largest, long rateBefore) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new Gcra(bucket, timeline, room, largest, rateBefore);
    }
    if (limit instanceof Limit.LeakyBucket bucket) {
      return new Gcra(bucket, timeline, room, largest, rateBefore);
    }
    if (limit instanceof Limit.FixedWindow window) {
      return new FixedWindow(window, timeline, room);
    }
    if (limit instanceof Limit.SlidingWindow window) {
      return new SlidingWindow(window, timeline, room);
    }
    if (limit instanceof Limit.SlidingEpochs epochs) {
      return new SlidingEpochs(epochs, timeline, room);
    }
    return new SlidingLog((Limit.SlidingLog) limit, timeline, room);
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

  /**
   * The most permits that a bucket may have spent: the capacity, or more where a larger limit may
   * have written it.
   */
  public final long room() {
    return room;
  }

  /** Whether buckets may have spent more than the capacity. */
  public final boolean isWide() {
    return room > capacity;
  }

  /** The same algorithm without room for more than the capacity. */
  public final Algorithm narrowed() {
    if (!isWide()) {
      return this;
    }
    Algorithm narrow = of(limit, timeline);
    narrow.origin = origin;
    return narrow;
  }

  /** Whether a {@link Mark} of {@code other} is one of this algorithm: only their room differs. */
  public final boolean sharesMarksWith(Algorithm other) {
    return origin == other.origin;
  }

  /**
   * The room that {@code heir} needs to continue from buckets of this limit, in its own permits.
   */
  final long roomUnder(Limit heir) {
    return Math.max(heir.capacity(), Math.min(MAX_ROOM, converted(room, heir)));
  }

  /** The largest capacity of all limits that a bucket may have spent permits of. */
  long largest() {
    return room;
  }

  /** The permits in a period by which a debt is measured. */
  long rate() {
    return limit.permits();
  }

  /** The permits of {@code heir} that {@code permits} of this limit may be worth, rounded up. */
  long converted(long permits, Limit heir) {
    return permits;
  }

  /** The moment of a clock's {@code epochNanos}. */
  public long at(long epochNanos) {
    return timeline.clampedMillis(Math.floorDiv(epochNanos, 1_000_000L));
  }

  /** The moment that a caller specifies in milliseconds; refused if it is off the timeline. */
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

  /** The number of ticks in {@code nanos}, rounded down. */
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

  /** Whether a bucket lies further in the future than possible, unless a clock went back. */
  public abstract boolean isAstray(Bucket bucket, long now);

  /** Makes a bucket that {@link #isAstray} fully spent. */
  public final void mend(Bucket bucket, long now) {
    if (isAstray(bucket, now)) {
      spend(bucket, now);
    }
  }

  /**
   * Makes a bucket fully spent at {@code now}: by the capacity, or by its present count if that is
   * more.
   */
  abstract void spend(Bucket bucket, long now);

  /** Ticks until {@code cost} permits fit if no other request arrives; 0 if they fit now. */
  public abstract long waitFor(Bucket bucket, long now, long cost);

  /**
   * Takes {@code cost} permits at the moment {@code at}, where they fit.
   *
   * @param now the present, which is {@code at} unless this is a reservation
   */
  public abstract void take(Bucket bucket, long now, long at, long cost);

  /**
   * Ticks that a request allowed at {@code now} is to be held; called before the permits are taken.
   */
  public long delay(Bucket bucket, long now) {
    return 0;
  }

  /**
   * Takes {@code cost} permits even if they are not available, up to what the bucket can remember.
   */
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

  /**
   * Ticks until the bucket is full, the queue is empty, or the window or the oldest entry expires.
   */
  public abstract long resetIn(Bucket bucket, long now);

  /** {@link #isFresh(Bucket, long)} where a bucket is one word. */
  public boolean isFresh(long word, long now) {
    throw new IllegalStateException(limit + " needs " + words() + " words");
  }

  /** Whether the bucket decides like an untouched one, now and at all later times. */
  public abstract boolean isFresh(Bucket bucket, long now);

  /** How many ticks ahead a reservation may lie. */
  public abstract long reach(long now);

  /**
   * Whether the bucket has more spent than the capacity, so that a layout without room would cut
   * it.
   */
  public abstract boolean needsRoom(Bucket bucket, long now);

  /**
   * Makes the untouched {@code bucket} continue from {@code old}, a bucket of a limit that {@link
   * Limit#sharesBucketsWith} this one. A count is kept as it is, even above the capacity, and so is
   * a leaky bucket's debt. The debt of a token bucket is kept as time or as permits, whichever is
   * longer. There must be {@link #room} for it: what is above is cut.
   *
   * @param now the moment at which one limit replaces the other
   * @param then the same moment, as {@code from} counts
   */
  public abstract void inherit(Bucket bucket, long now, Algorithm from, long then, Bucket old);

  /**
   * Like {@link #inherit}, but from a bucket that many keys share: at most all the room is spent.
   */
  public void inheritShared(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    inherit(bucket, now, from, then, old);
  }

  /**
   * Fills the untouched {@code bucket} with a state from another store, as numbers that do not
   * depend on the limit's size. For buckets: the moment at which it is full, in ticks and parts of
   * one. For windows: the moment at which the newest began, and its count; if it slides, also the
   * count before it. A state of zeros is that of an untouched bucket.
   */
  public void load(Bucket bucket, long... state) {
    throw new UnsupportedOperationException(limit + " is not loaded");
  }

  /** The start of the window that is {@code ahead} windows after the one of {@code now}. */
  public long windowStart(long now, int ahead) {
    throw new UnsupportedOperationException(limit + " has no windows");
  }

  /** The status of the limit after a decision on {@code cost} at {@code now}. */
  public final LimitStatus status(Bucket bucket, long now, long cost, boolean granted) {
    boolean waits = !granted && cost > 0 && cost <= capacity;
    return status(bucket, now, cost, waits ? waitFor(bucket, now, cost) : 0);
  }

  /**
   * The status of the limit after a refused reservation, which may have been refused only because
   * its turn comes too late. The wait is the one after which the request need not be held any more.
   */
  public final LimitStatus statusOfRefusedReservation(Bucket bucket, long now, long cost) {
    boolean waits = cost > 0 && cost <= capacity;
    long wait = waits ? waitFor(bucket, now, cost) : 0;
    return status(bucket, now, cost, waits ? Math.max(wait, delay(bucket, now)) : 0);
  }

  private LimitStatus status(Bucket bucket, long now, long cost, long wait) {
    long remaining = remaining(bucket, now);
    long growth = remaining < capacity ? nanos(waitFor(bucket, now, remaining + 1)) : 0;
    // A limit of zero permits is never full again: what was spent before makes no difference.
    Bucket spent = capacity > 0 ? bucket : new Bucket(words());
    long reset = nanos(resetIn(spent, now));
    if (cost > capacity) {
      return LimitStatus.neverFits(limit, remaining, growth, reset);
    }
    return LimitStatus.of(limit, remaining, nanos(wait), growth, reset);
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
