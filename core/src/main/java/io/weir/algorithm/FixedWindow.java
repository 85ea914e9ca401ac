package io.weir.algorithm;

import io.weir.Limit;

/**
 * Fixed window: a counter that starts at zero in each window.
 *
 * <p>One word a key, two for very many permits in very short windows. At most {@code permits} in a
 * window; up to twice that in an interval of the same length that straddles an edge.
 */
final class FixedWindow extends Algorithm {
  /*
   * A bucket is the number of a window and the count in it. A count of an earlier window is
   * ignored, so nothing needs to be done when a window ends.
   *
   *      window 7, count 3          in window 7 there are permits - 3 left,
   *                                 in window 8 all of them,
   *                                 in window 6 none.
   *
   * The last line is for reservations. They count in the next window and close the one before it
   * and discard its count: what was left of it, less than the reservation's cost, stays unused. The
   * last line also covers a clock that goes back over an edge. No bucket lies further ahead than
   * the next window, unless a clock went back.
   *
   * Both numbers share a word if they fit: 100 permits a minute need 7 bits and 28. A count above the
   * capacity was written by a larger limit and stays until its window is over.
   */

  private final Windows windows;
  private final int countBits;
  private final long countMask;
  private final boolean packed;

  FixedWindow(Limit.FixedWindow limit, Timeline timeline, long room) {
    super(limit, timeline, room);
    windows = Windows.of(limit.span(), limit.zone(), timeline);
    countBits = bits(room());
    countMask = (1L << countBits) - 1;
    packed = countBits + bits(windows.largestIndex()) <= WORD_BITS;
  }

  @Override
  public int words() {
    return packed ? 1 : 2;
  }

  @Override
  public long take(long word, long now, long cost) {
    long index = windows.index(now);
    long ofBucket = word >>> countBits;
    if (ofBucket > index) {
      return isAstray(ofBucket, index) ? ASTRAY : REFUSED;
    }
    long count = (ofBucket == index ? word & countMask : 0) + cost;
    return count <= capacity() ? index << countBits | count : REFUSED;
  }

  private long index(Bucket bucket) {
    return packed ? bucket.word(0) >>> countBits : bucket.word(0);
  }

  private long storedCount(Bucket bucket) {
    return packed ? bucket.word(0) & countMask : bucket.word(1);
  }

  private long count(Bucket bucket, long index) {
    return index(bucket) == index ? storedCount(bucket) : 0;
  }

  private void set(Bucket bucket, long index, long count) {
    if (packed) {
      bucket.word(0, index << countBits | count);
    } else {
      bucket.word(0, index);
      bucket.word(1, count);
    }
  }

  @Override
  public boolean isAstray(Bucket bucket, long now) {
    return isAstray(index(bucket), windows.index(now));
  }

  @Override
  void spend(Bucket bucket, long now) {
    set(bucket, windows.index(now), Math.max(capacity(), storedCount(bucket)));
  }

  private static boolean isAstray(long ofBucket, long index) {
    return ofBucket > index + 1;
  }

  @Override
  public long waitFor(Bucket bucket, long now, long cost) {
    long index = Math.max(windows.index(now), index(bucket));
    if (count(bucket, index) + cost > capacity()) {
      index++;
    }
    return Math.max(0, windows.start(index) - now);
  }

  @Override
  public void take(Bucket bucket, long now, long at, long cost) {
    long index = windows.index(at);
    set(bucket, index, count(bucket, index) + cost);
  }

  @Override
  public void force(Bucket bucket, long now, long cost) {
    long index = Math.max(windows.index(now), index(bucket));
    long count = count(bucket, index);
    set(bucket, index, cost < capacity() - count ? count + cost : Math.max(count, capacity()));
  }

  @Override
  public Mark mark(Bucket bucket, long at, long cost) {
    return new Mark(windows.index(at), 0);
  }

  @Override
  public void giveBack(Bucket bucket, long now, Mark mark, long cost) {
    if (mark.time() == index(bucket)) {
      refund(bucket, now, cost);
    }
  }

  @Override
  public void refund(Bucket bucket, long now, long permits) {
    set(bucket, index(bucket), Math.max(0, storedCount(bucket) - permits));
  }

  @Override
  public long remaining(Bucket bucket, long now) {
    long index = windows.index(now);
    return index(bucket) > index ? 0 : Math.max(0, capacity() - count(bucket, index));
  }

  @Override
  public long resetIn(Bucket bucket, long now) {
    return windows.start(windows.index(now) + 1) - now;
  }

  @Override
  public boolean isFresh(long word, long now) {
    return isFresh(word >>> countBits, word & countMask, now);
  }

  @Override
  public boolean isFresh(Bucket bucket, long now) {
    return isFresh(index(bucket), storedCount(bucket), now);
  }

  private boolean isFresh(long ofBucket, long count, long now) {
    long index = windows.index(now);
    return ofBucket < index || (ofBucket == index && count == 0);
  }

  @Override
  public long reach(long now) {
    return windows.start(windows.index(now) + 2) - 1 - now;
  }

  @Override
  public boolean needsRoom(Bucket bucket, long now) {
    return storedCount(bucket) > capacity() && !isFresh(bucket, now);
  }

  @Override
  public void inherit(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    FixedWindow that = (FixedWindow) from;
    set(bucket, that.index(old), Math.min(that.storedCount(old), room()));
  }

  @Override
  public void load(Bucket bucket, long... state) {
    if (state[0] > 0 || state[1] > 0) {
      set(bucket, windows.index(state[0]), state[1]);
    }
  }

  @Override
  public long windowStart(long now, int ahead) {
    return windows.start(windows.index(now) + ahead);
  }
}
