package io.weir.algorithm;

import io.weir.Limit;

/**
 * Sliding epochs: the period as a row of epochs with a counter each, summed.
 *
 * <p>One word and the counters a key; work in proportion to the epochs. At most {@code permits} in
 * any period less one epoch, up to twice that in a period.
 */
final class SlidingEpochs extends Algorithm {
  /*
   * Counters sit in a ring, epoch e at place e mod epochs; the first word is the number of the newest
   * epoch, the head. What the ring holds belongs to the epochs from head - epochs + 1 to head.
   *
   *      epochs = 5, head = 12        place   0   1   2   3   4
   *                                   epoch  10  11  12   8   9
   *
   * Counters are 8, 16 or 32 bits wide, as the number of permits requires, and packed into words:
   * 15 epochs of up to 500 permits are four words. A counter stops at the number of permits: while
   * it is part of the sum, no request passes, so it does not matter how far counted refusals
   * exceeded it. A counter above that was written by a larger limit, and stays as it is until it
   * drops out of the sum. A larger limit may also have spread its grants, so that only their sum is
   * above. A relic of a clock put back is therefore spent by the sum, as far as one counter has room
   * for it.
   *
   * The head may lie ahead of the present because of a reservation; then no request passes until it
   * is reached.
   */

  private final Windows.Even windows;
  private final long period;
  private final int epochs;
  private final int counterBits; // a power of two
  private final int perWord;
  private final long counterMask;
  private final boolean countRejected;

  SlidingEpochs(Limit.SlidingEpochs limit, Timeline timeline, long room) {
    super(limit, timeline, room);
    period = limit.period().toMillis();
    epochs = limit.epochs();
    windows = new Windows.Even(period / epochs, timeline);
    counterBits = room() < 1 << 8 ? 8 : room() < 1 << 16 ? 16 : 32;
    perWord = Long.SIZE / counterBits;
    counterMask = -1L >>> Long.SIZE - counterBits;
    countRejected = limit.countRejected();
  }

  @Override
  public int words() {
    return 1 + (epochs + perWord - 1) / perWord;
  }

  @Override
  public boolean countsRejected() {
    return countRejected;
  }

  private long head(Bucket bucket) {
    return bucket.word(0);
  }

  private long count(Bucket bucket, long epoch) {
    if (epoch > head(bucket) || epoch <= head(bucket) - epochs || epoch < 0) {
      return 0;
    }
    int place = (int) (epoch % epochs);
    return bucket.word(1 + place / perWord) >>> shift(place) & counterMask;
  }

  private void setCount(Bucket bucket, long epoch, long count) {
    int place = (int) (epoch % epochs);
    int word = 1 + place / perWord;
    long others = bucket.word(word) & ~(counterMask << shift(place));
    bucket.word(word, others | count << shift(place));
  }

  private int shift(int place) {
    return place % perWord * counterBits;
  }

  /** Moves the head to {@code epoch}; counters that fall out of the ring are emptied. */
  private void advance(Bucket bucket, long epoch) {
    long head = head(bucket);
    for (long e = Math.max(head, epoch - epochs) + 1; e <= epoch; e++) {
      setCount(bucket, e, 0);
    }
    bucket.word(0, Math.max(head, epoch));
  }

  private long sum(Bucket bucket, long lastEpoch) {
    long sum = 0;
    for (long e = lastEpoch - epochs + 1; e <= Math.min(lastEpoch, head(bucket)); e++) {
      sum += count(bucket, e);
    }
    return sum;
  }

  @Override
  public boolean isAstray(Bucket bucket, long now) {
    return head(bucket) > windows.index(now) + epochs;
  }

  @Override
  void spend(Bucket bucket, long now) {
    long epoch = windows.index(now);
    long spent = Math.max(capacity(), Math.min(room(), sum(bucket, head(bucket))));
    for (int i = 0; i < words(); i++) {
      bucket.word(i, 0);
    }
    bucket.word(0, epoch);
    setCount(bucket, epoch, spent);
  }

  @Override
  public long waitFor(Bucket bucket, long now, long cost) {
    long epoch = Math.max(windows.index(now), head(bucket));
    long sum = sum(bucket, epoch);
    while (sum + cost > capacity()) {
      epoch++;
      sum -= count(bucket, epoch - epochs);
    }
    return Math.max(0, windows.start(epoch) - now);
  }

  @Override
  public void take(Bucket bucket, long now, long at, long cost) {
    add(bucket, windows.index(at), cost);
  }

  private void add(Bucket bucket, long epoch, long cost) {
    advance(bucket, epoch);
    long head = head(bucket);
    long count = count(bucket, head);
    setCount(bucket, head, cost < capacity() - count ? count + cost : Math.max(count, capacity()));
  }

  @Override
  public void force(Bucket bucket, long now, long cost) {
    add(bucket, windows.index(now), cost);
  }

  @Override
  public Mark mark(Bucket bucket, long at, long cost) {
    return new Mark(windows.index(at), 0);
  }

  @Override
  public void giveBack(Bucket bucket, long now, Mark mark, long cost) {
    long count = count(bucket, mark.time());
    boolean mayBeCut = countRejected && count >= capacity();
    if (count > 0 && !mayBeCut) {
      setCount(bucket, mark.time(), Math.max(0, count - cost));
    }
  }

  /** Takes from the newest epochs first. */
  @Override
  public void refund(Bucket bucket, long now, long permits) {
    long left = permits;
    for (long e = head(bucket); e > head(bucket) - epochs && left > 0; e--) {
      long back = Math.min(left, count(bucket, e));
      if (back > 0) {
        setCount(bucket, e, count(bucket, e) - back);
        left -= back;
      }
    }
  }

  @Override
  public long remaining(Bucket bucket, long now) {
    long epoch = windows.index(now);
    return epoch < head(bucket) ? 0 : Math.max(0, capacity() - sum(bucket, epoch));
  }

  @Override
  public long resetIn(Bucket bucket, long now) {
    for (long e = windows.index(now) - epochs + 1; e <= head(bucket); e++) {
      if (count(bucket, e) > 0) {
        return windows.start(e + epochs) - now;
      }
    }
    return 0;
  }

  @Override
  public boolean isFresh(Bucket bucket, long now) {
    return head(bucket) <= windows.index(now) && resetIn(bucket, now) == 0;
  }

  @Override
  public long reach(long now) {
    return period;
  }

  @Override
  public boolean needsRoom(Bucket bucket, long now) {
    return sum(bucket, head(bucket)) > capacity() && !isFresh(bucket, now);
  }

  @Override
  public void inherit(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    SlidingEpochs that = (SlidingEpochs) from;
    bucket.word(0, that.head(old));
    for (long e = Math.max(0, that.head(old) - epochs + 1); e <= that.head(old); e++) {
      setCount(bucket, e, Math.min(that.count(old, e), room()));
    }
  }
}
