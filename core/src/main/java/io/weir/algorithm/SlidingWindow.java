package io.weir.algorithm;

import io.weir.Limit;

/**
 * Sliding window counter: this window's count, and the previous one's weighted by how much of it
 * the last period still overlaps.
 *
 * <p>One word a key, three for very many permits. Never more than {@code permits + ⌈f × permits⌉}
 * in a period, where f is the elapsed share of the current window. Exact if the previous window's
 * traffic was even; at most twice the permits if it all came at its end.
 */
final class SlidingWindow extends Algorithm {
  /*
   *      previous: 5               current: 3 so far
   *     |----------|---------------|----------|--------------------|
   *                ^                          ^ 30 % elapsed
   *                '------ the last period ---'
   *
   * The last period overlaps 70 % of the previous window: 3 + 5 × 0.7 = 6.5, rounded down to 6, are
   * counted as spent. With 7 permits one more fits.
   *
   * A bucket is the number of a window, its count and the count before it. One window later the
   * current count becomes the previous one; two windows later neither counts. As with fixed windows
   * a reservation may be in the next window, and closes the present one. A count above the capacity
   * was written by a larger limit; it is weighted like any other. A relic of a clock put back is
   * spent by the sum of both counts, as far as there is room for it, because a larger limit may have
   * granted both.
   */

  private final Windows.Even windows;
  private final long period;
  private final int countBits;
  private final long countMask;
  private final boolean packed;

  SlidingWindow(Limit.SlidingWindow limit, Timeline timeline, long room) {
    super(limit, timeline, room);
    period = limit.period().toMillis();
    windows = new Windows.Even(period, timeline);
    countBits = bits(room());
    countMask = (1L << countBits) - 1;
    packed = 2 * countBits + bits(windows.largestIndex()) <= WORD_BITS;
  }

  @Override
  public int words() {
    return packed ? 1 : 3;
  }

  @Override
  public long take(long word, long now, long cost) {
    long index = windows.index(now);
    long ofBucket = word >>> 2 * countBits;
    if (ofBucket > index) {
      return isAstray(ofBucket, index) ? ASTRAY : REFUSED;
    }
    long age = index - ofBucket;
    long current = age == 0 ? word & countMask : 0;
    long previous = age == 0 ? word >>> countBits & countMask : age == 1 ? word & countMask : 0;
    long after = current + cost;
    return after + weighted(previous, now, index) <= capacity()
        ? (index << countBits | previous) << countBits | after
        : REFUSED;
  }

  /** How much of {@code previous} still counts at {@code now} in window {@code index}. */
  private long weighted(long previous, long now, long index) {
    long overlap = windows.start(index + 1) - now;
    return previous == 0 ? 0 : WideMath.divide(overlap, previous, 0, period);
  }

  private long index(Bucket bucket) {
    return packed ? bucket.word(0) >>> 2 * countBits : bucket.word(0);
  }

  private long storedCurrent(Bucket bucket) {
    return packed ? bucket.word(0) & countMask : bucket.word(1);
  }

  private long storedPrevious(Bucket bucket) {
    return packed ? bucket.word(0) >>> countBits & countMask : bucket.word(2);
  }

  /** The count in window {@code index}, which is not before the bucket's previous one. */
  private long count(Bucket bucket, long index) {
    long age = index - index(bucket);
    return age == 0 ? storedCurrent(bucket) : age == -1 ? storedPrevious(bucket) : 0;
  }

  private void set(Bucket bucket, long index, long previous, long current) {
    if (packed) {
      bucket.word(0, (index << countBits | previous) << countBits | current);
    } else {
      bucket.word(0, index);
      bucket.word(1, current);
      bucket.word(2, previous);
    }
  }

  @Override
  public boolean isAstray(Bucket bucket, long now) {
    return isAstray(index(bucket), windows.index(now));
  }

  @Override
  void spend(Bucket bucket, long now) {
    long found = Math.min(room(), storedCurrent(bucket) + storedPrevious(bucket));
    set(bucket, windows.index(now), 0, Math.max(capacity(), found));
  }

  private static boolean isAstray(long ofBucket, long index) {
    return ofBucket > index + 1;
  }

  @Override
  public long waitFor(Bucket bucket, long now, long cost) {
    long index = Math.max(windows.index(now), index(bucket));
    long room = capacity() - cost - count(bucket, index);
    if (room < 0) {
      index++;
      room = capacity() - cost;
    }
    long from = Math.max(now, windows.start(index));
    return Math.max(from, start(index, count(bucket, index - 1), room)) - now;
  }

  /**
   * The moment in window {@code index} from which no more than {@code room} of {@code previous}
   * count.
   */
  private long start(long index, long previous, long room) {
    if (previous <= room) {
      return windows.start(index);
    }
    // Smallest e with floor(previous × (period - e) / period) <= room, that is with
    // period - e < (room + 1) × period / previous.
    long below = WideMath.divide(room + 1, period, previous - 1, previous);
    return windows.start(index) + period - below + 1;
  }

  @Override
  public void take(Bucket bucket, long now, long at, long cost) {
    add(bucket, windows.index(at), cost);
  }

  private void add(Bucket bucket, long index, long cost) {
    set(bucket, index, count(bucket, index - 1), count(bucket, index) + cost);
  }

  @Override
  public void force(Bucket bucket, long now, long cost) {
    long index = Math.max(windows.index(now), index(bucket));
    add(bucket, index, Math.min(cost, Math.max(0, capacity() - count(bucket, index))));
  }

  @Override
  public Mark mark(Bucket bucket, long at, long cost) {
    return new Mark(windows.index(at), 0);
  }

  @Override
  public void giveBack(Bucket bucket, long now, Mark mark, long cost) {
    giveBack(bucket, mark.time(), cost);
  }

  private void giveBack(Bucket bucket, long index, long cost) {
    long age = index(bucket) - index;
    if (age == 0) {
      set(bucket, index, storedPrevious(bucket), Math.max(0, storedCurrent(bucket) - cost));
    } else if (age == 1) {
      set(bucket, index + 1, Math.max(0, storedPrevious(bucket) - cost), storedCurrent(bucket));
    }
  }

  /** Takes from the current count first, then from the previous one. */
  @Override
  public void refund(Bucket bucket, long now, long permits) {
    long fromPrevious = Math.max(0, permits - storedCurrent(bucket));
    giveBack(bucket, index(bucket), permits);
    giveBack(bucket, index(bucket) - 1, fromPrevious);
  }

  @Override
  public long remaining(Bucket bucket, long now) {
    long index = windows.index(now);
    if (index(bucket) > index) {
      return 0;
    }
    long spent = count(bucket, index) + weighted(count(bucket, index - 1), now, index);
    return Math.max(0, capacity() - spent);
  }

  @Override
  public long resetIn(Bucket bucket, long now) {
    return windows.start(windows.index(now) + 1) - now;
  }

  @Override
  public boolean isFresh(long word, long now) {
    return isFresh(word >>> 2 * countBits, word >>> countBits & countMask, word & countMask, now);
  }

  @Override
  public boolean isFresh(Bucket bucket, long now) {
    return isFresh(index(bucket), storedPrevious(bucket), storedCurrent(bucket), now);
  }

  private boolean isFresh(long ofBucket, long previous, long current, long now) {
    long age = windows.index(now) - ofBucket;
    return age > 1 || (age == 1 && current == 0) || (age == 0 && current == 0 && previous == 0);
  }

  @Override
  public long reach(long now) {
    return windows.start(windows.index(now) + 2) - 1 - now;
  }

  @Override
  public boolean needsRoom(Bucket bucket, long now) {
    long index = Math.max(windows.index(now), index(bucket));
    long from = Math.max(now, windows.start(index));
    long spent = count(bucket, index) + weighted(count(bucket, index - 1), from, index);
    long largest = Math.max(storedCurrent(bucket), storedPrevious(bucket));
    return Math.max(spent, largest) > capacity() && !isFresh(bucket, now);
  }

  @Override
  public void inherit(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    SlidingWindow that = (SlidingWindow) from;
    set(
        bucket,
        that.index(old),
        Math.min(that.storedPrevious(old), room()),
        Math.min(that.storedCurrent(old), room()));
  }

  @Override
  public void load(Bucket bucket, long... state) {
    set(bucket, windows.index(state[0]), state[2], state[1]);
  }
}
