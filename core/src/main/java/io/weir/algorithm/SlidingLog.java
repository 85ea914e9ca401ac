package io.weir.algorithm;

import io.weir.Limit;

/**
 * Sliding log: the moment of every permit of the last period; at most {@code permits} in any
 * period, exactly.
 *
 * <p>Three words and four bytes an entry (eight for many permits in days); amortised constant work
 * a check.
 */
public final class SlidingLog extends Algorithm {
  /*
   * A request at time t looks at the entries later than t - period. Entries sit in a ring, oldest
   * first, in a region of the store's heap:
   *
   *      word 0   the newest entry's tick
   *      word 1   how many permits all entries have, and how many entries there are
   *      word 2   where the region begins and how long it is
   *      word 3   the capacity that is carried, see below; only where there is room for more
   *      region   the place of the oldest entry, then the entries
   *
   * An entry is a tick and a number of permits, in one int: permits of one tick share an entry.
   * Only the low bits of the tick are kept, enough to distinguish the two periods before the newest
   * entry; no entry is older. For 100 a minute that is 17 bits, which leaves 15 for permits.
   *
   * Where the clock is finer than a tick, a moment is twice the whole ticks, plus one if there is a
   * fraction. An entry is stamped with the time rounded up, and a check uses the time rounded down.
   * So an entry expires when it is a full period old by the real clock, not before.
   *
   * Counted refusals could make a log grow without end, but only the newest entries that together
   * reach the limit matter: while they count no request passes, and they outlive all older ones.
   * The rest are cut off. After a cut, giving back could remove entries without the ones that were
   * cut, so a full log gives nothing back.
   *
   * A larger limit that wrote the log before may have left more entries than this one allows. They
   * count until they expire. While they are more than the capacity, the larger capacity is carried
   * along: the log is cut to that many permits, and a log from before a clock step back becomes
   * that many.
   *
   * Reservations are entries in the future. They count like all others, at once.
   *
   * In a recording the times of a key may go back, and a later request must not have removed the
   * entries that an earlier one needs. So entries are kept for up to a minute longer than the
   * period, and a request that lies further back is refused. Whatever is granted, no period has too
   * many; and granting in order of time grants the most that is possible.
   */

  private static final int COUNT_BITS = 31; // of the number of entries in word 1
  private static final long LENGTH_MASK = (1L << COUNT_BITS) - 1;

  private static final int MAX_ENTRIES_AT_ONCE = 128;
  private static final long MAX_STEP_BACK = 60_000; // a minute

  private final long period;
  private final long memory;
  private final boolean isRecorded;
  private final boolean countRejected;
  private final int intsPerEntry;
  private final int permitBits;
  private final long maxInEntry;
  private final long tickMask;

  SlidingLog(Limit.SlidingLog limit, Timeline timeline, long room) {
    super(limit, timeline, room);
    period = limit.period().toMillis();
    isRecorded = timeline.isRecorded();
    memory = isRecorded ? period + Math.min(period, MAX_STEP_BACK) : period;
    countRejected = limit.countRejected();
    int tickBits = bits(2 * period);
    intsPerEntry = fitsOneInt(Integer.SIZE - tickBits) ? 1 : 2;
    permitBits = intsPerEntry * Integer.SIZE - tickBits;
    maxInEntry = (1L << permitBits) - 1;
    tickMask = (1L << tickBits) - 1;
  }

  /** Whether few entries of one int can hold all permits at once. */
  private boolean fitsOneInt(int bitsForPermits) {
    return bitsForPermits > 0 && room() >> bitsForPermits < MAX_ENTRIES_AT_ONCE;
  }

  @Override
  public long at(long epochNanos) {
    return 2 * super.at(epochNanos) + (Math.floorMod(epochNanos, 1_000_000L) == 0 ? 0 : 1);
  }

  @Override
  public long atMillis(long epochMillis) {
    return 2 * super.atMillis(epochMillis);
  }

  @Override
  public long later(long now, long ticks) {
    return now + 2 * ticks;
  }

  @Override
  public int words() {
    return isWide() ? 4 : 3;
  }

  @Override
  public boolean countsRejected() {
    return countRejected;
  }

  // The words.

  private static long newest(Bucket bucket) {
    return bucket.word(0);
  }

  private static long permits(Bucket bucket) {
    return bucket.word(1) >>> COUNT_BITS;
  }

  private static int length(Bucket bucket) {
    return (int) (bucket.word(1) & LENGTH_MASK);
  }

  private static void setSize(Bucket bucket, long permits, int length) {
    bucket.word(1, permits << COUNT_BITS | length);
  }

  /** The capacity that a bucket carries, its own or a larger one. */
  private long carried(Bucket bucket) {
    return isWide() ? Math.max(capacity(), bucket.word(3)) : capacity();
  }

  /** Before a write: keeps a larger capacity while more than this limit's own is spent. */
  private void carryOn(Bucket bucket) {
    if (isWide() && permits(bucket) <= capacity()) {
      bucket.word(3, 0);
    }
  }

  /** Where the region of {@code bucket} begins. */
  public static int region(Bucket bucket) {
    return (int) (bucket.word(2) >>> Integer.SIZE);
  }

  /** Records that a store has moved the region of {@code bucket}. */
  public static void moveRegion(Bucket bucket, int start) {
    bucket.word(2, (long) start << Integer.SIZE | regionLength(bucket));
  }

  /** The length of the region of {@code bucket} in ints; needed by stores that move regions. */
  public static int regionLength(Bucket bucket) {
    return (int) bucket.word(2);
  }

  // Entries: i counts from the oldest.

  private int place(Bucket bucket, int i) {
    int capacity = (regionLength(bucket) - 1) / intsPerEntry;
    int place = bucket.heap().ints()[region(bucket)] + i;
    return region(bucket) + 1 + (place < capacity ? place : place - capacity) * intsPerEntry;
  }

  private long entry(Bucket bucket, int i) {
    int[] ints = bucket.heap().ints();
    int place = place(bucket, i);
    long low = ints[place] & 0xFFFF_FFFFL;
    return intsPerEntry == 1 ? low : low | (long) ints[place + 1] << Integer.SIZE;
  }

  private void setEntry(Bucket bucket, int i, long tick, long permits) {
    int[] ints = bucket.heap().ints();
    int place = place(bucket, i);
    long entry = (tick & tickMask) << permitBits | permits;
    ints[place] = (int) entry;
    if (intsPerEntry == 2) {
      ints[place + 1] = (int) (entry >>> Integer.SIZE);
    }
  }

  private long permits(Bucket bucket, int i) {
    return entry(bucket, i) & maxInEntry;
  }

  private long tick(Bucket bucket, int i) {
    return newest(bucket) - (newest(bucket) - (entry(bucket, i) >>> permitBits) & tickMask);
  }

  private void dropOldest(Bucket bucket, int entries, long permits) {
    int capacity = (regionLength(bucket) - 1) / intsPerEntry;
    int[] ints = bucket.heap().ints();
    ints[region(bucket)] = (ints[region(bucket)] + entries) % capacity;
    setSize(bucket, permits(bucket) - permits, length(bucket) - entries);
  }

  /** Removes the entries that are a period old at {@code tick}. */
  private void prune(Bucket bucket, long tick) {
    prune(bucket, tick, period);
  }

  private void prune(Bucket bucket, long tick, long age) {
    int old = 0;
    long permits = 0;
    while (old < length(bucket) && tick(bucket, old) <= tick - age) {
      permits += permits(bucket, old);
      old++;
    }
    if (old > 0) {
      dropOldest(bucket, old, permits);
    }
  }

  private void append(Bucket bucket, long tick, long permits) {
    if (permits == 0) {
      return;
    }
    long stamp = length(bucket) == 0 ? tick : Math.max(tick, newest(bucket));
    long left = permits;
    int last = length(bucket) - 1;
    if (last >= 0 && (stamp == newest(bucket) || isCramped(bucket, last, left))) {
      long more = Math.min(left, maxInEntry - permits(bucket, last));
      setEntry(bucket, last, stamp, permits(bucket, last) + more);
      setSize(bucket, permits(bucket) + more, length(bucket));
      left -= more;
    }
    bucket.word(0, stamp);
    while (left > 0) {
      int length = length(bucket);
      makeRoom(bucket, length + 1);
      long more = Math.min(left, maxInEntry);
      setSize(bucket, permits(bucket) + more, length + 1);
      setEntry(bucket, length, stamp, more);
      left -= more;
    }
  }

  /**
   * Whether another entry would need a larger region, but there is no memory for it. Then the
   * newest entry absorbs the permits and counts as made now: it expires later, never sooner.
   */
  private boolean isCramped(Bucket bucket, int last, long permits) {
    int capacity = (regionLength(bucket) - 1) / intsPerEntry;
    return last + 1 >= capacity
        && !bucket.heap().mayGrow()
        && permits(bucket, last) + permits <= maxInEntry;
  }

  /**
   * Moves the entries to a larger region where the present one is full: by an eighth, at least by
   * one.
   */
  private void makeRoom(Bucket bucket, int entries) {
    int capacity = regionLength(bucket) == 0 ? 0 : (regionLength(bucket) - 1) / intsPerEntry;
    if (entries <= capacity) {
      return;
    }
    int length = length(bucket);
    long max = entries <= capacity() ? capacity() : 2 * room();
    int larger = (int) Math.max(entries, Math.min(max, entries + (entries >> 3)));
    int ints = 1 + larger * intsPerEntry;
    int region = bucket.heap().allocate(ints);
    int[] heap = bucket.heap().ints();
    for (int i = 0; i < length; i++) {
      int from = place(bucket, i);
      System.arraycopy(heap, from, heap, region + 1 + i * intsPerEntry, intsPerEntry);
    }
    heap[region] = 0;
    bucket.word(2, (long) region << Integer.SIZE | ints);
  }

  private static long floor(long now) {
    return now >> 1;
  }

  private static long ceil(long now) {
    return now + 1 >> 1;
  }

  @Override
  public boolean isAstray(Bucket bucket, long now) {
    return length(bucket) > 0 && newest(bucket) > ceil(now) + period + 1;
  }

  @Override
  void spend(Bucket bucket, long now) {
    long spent = carried(bucket);
    dropOldest(bucket, length(bucket), permits(bucket));
    append(bucket, ceil(now), spent);
  }

  @Override
  public long waitFor(Bucket bucket, long now, long cost) {
    long excess = permits(bucket) + cost - capacity();
    long wait = 0;
    for (int i = 0; excess > 0; i++) {
      excess -= permits(bucket, i);
      wait = tick(bucket, i) + period - floor(now);
    }
    if (isRecorded && length(bucket) > 0) {
      wait = Math.max(wait, newest(bucket) - (memory - period) - floor(now));
    }
    return Math.max(0, wait);
  }

  @Override
  public void take(Bucket bucket, long now, long at, long cost) {
    prune(bucket, floor(now), memory);
    carryOn(bucket);
    append(bucket, ceil(at), cost);
  }

  @Override
  public void force(Bucket bucket, long now, long cost) {
    prune(bucket, floor(now));
    carryOn(bucket);
    if (countRejected) {
      append(bucket, ceil(now), Math.min(cost, capacity()));
      cut(bucket, carried(bucket));
    } else {
      append(bucket, ceil(now), Math.min(cost, Math.max(0, 2 * capacity() - permits(bucket))));
    }
  }

  /** Cuts off the oldest entries until at most {@code max} permits are left. */
  private void cut(Bucket bucket, long max) {
    while (length(bucket) > 0 && permits(bucket) - max >= permits(bucket, 0)) {
      dropOldest(bucket, 1, permits(bucket, 0));
    }
    long excess = permits(bucket) - max;
    if (excess > 0) {
      setEntry(bucket, 0, tick(bucket, 0), permits(bucket, 0) - excess);
      setSize(bucket, max, length(bucket));
    }
  }

  @Override
  public Mark mark(Bucket bucket, long at, long cost) {
    return new Mark(newest(bucket), 0);
  }

  @Override
  public void giveBack(Bucket bucket, long now, Mark mark, long cost) {
    prune(bucket, floor(now));
    carryOn(bucket);
    if (countRejected && permits(bucket) >= capacity()) {
      return;
    }
    long left = cost;
    for (int i = length(bucket) - 1; i >= 0 && left > 0 && tick(bucket, i) >= mark.time(); i--) {
      if (tick(bucket, i) == mark.time()) {
        left -= remove(bucket, i, left);
      }
    }
    dropEmpty(bucket);
  }

  /** Takes up to {@code permits} out of entry {@code i}; returns how many. */
  private long remove(Bucket bucket, int i, long permits) {
    long some = Math.min(permits, permits(bucket, i));
    setEntry(bucket, i, tick(bucket, i), permits(bucket, i) - some);
    setSize(bucket, permits(bucket) - some, length(bucket));
    return some;
  }

  /** Removes empty entries at both ends; one in the middle does no harm until it is the oldest. */
  private void dropEmpty(Bucket bucket) {
    while (length(bucket) > 0 && permits(bucket, length(bucket) - 1) == 0) {
      int last = length(bucket) - 1;
      long newest = last == 0 ? newest(bucket) : tick(bucket, last - 1);
      setSize(bucket, permits(bucket), last);
      bucket.word(0, newest);
    }
    while (length(bucket) > 0 && permits(bucket, 0) == 0) {
      dropOldest(bucket, 1, 0);
    }
  }

  /** Takes from the newest entries first. */
  @Override
  public void refund(Bucket bucket, long now, long permits) {
    prune(bucket, floor(now));
    carryOn(bucket);
    long left = permits;
    for (int i = length(bucket) - 1; i >= 0 && left > 0; i--) {
      left -= remove(bucket, i, left);
    }
    dropEmpty(bucket);
  }

  private long live(Bucket bucket, long now) {
    long old = 0;
    for (int i = 0; i < length(bucket) && tick(bucket, i) <= floor(now) - period; i++) {
      old += permits(bucket, i);
    }
    return permits(bucket) - old;
  }

  @Override
  public long remaining(Bucket bucket, long now) {
    return Math.max(0, capacity() - live(bucket, now));
  }

  @Override
  public long resetIn(Bucket bucket, long now) {
    for (int i = 0; i < length(bucket); i++) {
      if (tick(bucket, i) > floor(now) - period && permits(bucket, i) > 0) {
        return tick(bucket, i) + period - floor(now);
      }
    }
    return 0;
  }

  @Override
  public boolean isFresh(Bucket bucket, long now) {
    return length(bucket) == 0 || newest(bucket) <= floor(now) - period;
  }

  @Override
  public long reach(long now) {
    return period + 1; // an entry of this tick is stamped with its end
  }

  @Override
  public boolean needsRoom(Bucket bucket, long now) {
    return carried(bucket) > capacity() && live(bucket, now) > capacity();
  }

  @Override
  public void inherit(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    SlidingLog that = (SlidingLog) from;
    for (int i = 0; i < length(old); i++) {
      append(bucket, that.tick(old, i), that.permits(old, i));
    }
    if (isWide()) {
      // In a recording no entry has expired for all keys.
      long spent = isRecorded ? permits(old) : that.live(old, then);
      bucket.word(3, spent > capacity() ? Math.min(that.carried(old), room()) : 0);
    }
  }

  @Override
  public void inheritShared(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    inherit(bucket, now, from, then, old);
    cut(bucket, room());
  }

  /** Copies a bucket of this limit to another place, with a region just large enough. */
  public void copy(Bucket bucket, Bucket into) {
    int length = length(bucket);
    into.word(0, newest(bucket));
    into.word(1, 0);
    into.word(2, 0);
    if (isWide()) {
      into.word(3, bucket.word(3));
    }
    if (length > 0) {
      makeRoom(into, length);
      setSize(into, permits(bucket), length);
      for (int i = 0; i < length; i++) {
        setEntry(into, i, tick(bucket, i), permits(bucket, i));
      }
    }
  }
}
