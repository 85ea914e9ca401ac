package io.weir.algorithm;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;

/**
 * Token bucket and leaky bucket, which are one algorithm: the Generic Cell Rate Algorithm.
 *
 * <p>One word a key, two for awkward rates; a few integer operations a check. In any interval of
 * length T it allows at most {@code capacity + T × permits / period}, T measured by the given clock
 * and rounded up to a tick. A leaky bucket's requests leave {@code period / permits} apart.
 */
final class Gcra extends Algorithm {
  /*
   * The bucket is kept as a debt in time. Instead of a token count, it stores the moment at which
   * the bucket would be full again if no request arrived: the theoretical arrival time (tat). A
   * permit moves that moment one interval further ahead. The bucket is empty when tat lies
   * `capacity` intervals ahead of now.
   *
   *     full                     half empty                          empty
   *     tat <= now               tat = now + capacity/2 intervals    tat = now + capacity intervals
   *
   * For a leaky bucket the same moment is the next free turn: a request is held until then. The
   * capacity is the queue plus the one request that leaves.
   *
   * An interval is period / permits and rarely a whole number of ticks: 3 permits in 10 s are
   * 3333.3 ms apart. So a time is a pair: whole ticks, and a remainder in parts of which `parts`
   * make a tick, where parts = permits / gcd(permits, period). An interval is 3333 and 1/3,
   * exactly. Nothing is rounded until a wait is returned, and a wait is rounded up.
   *
   * Example: 3 per 10 s, burst 3. Three permits at time 0 leave tat = 10,000 and 0/3. A fourth fits
   * when tat + 3333 1/3 - now <= 10,000, that is from 3333 1/3 on. The returned wait is 3334 ms; at
   * 3333 the request would indeed be refused.
   *
   * Range: ticks since the timeline's start and twice the capacity stay below 2^43 (2^53 where a
   * tick is a microsecond), parts are at most 2^31. If the remainder fits beside the ticks in 63
   * bits, the pair is packed into one word, where pairs compare like numbers. `cost × remainder of
   * an interval` stays below 2^63 because both are at most 2^31 (twice for what may be forced).
   *
   * Reservations and forced charges may leave a debt of up to two capacities. A tat beyond that
   * means that a clock has gone back since; it is cut to one capacity.
   *
   * Another limit that has written the bucket may have left a longer debt: up to two rooms, where
   * the room is its capacity in permits of this limit. It is kept: no request passes until it has
   * shrunk below this limit's own capacity. The time for which all the room stands is bounded by
   * 100 years, so that a tat stays below 2^44 (2^54) and needs one bit more.
   *
   * A debt means two things, time and permits. Where permits flow in as fast as before, or faster,
   * the time is kept: less would give back what is still to flow in. Where they flow in more
   * slowly, a token bucket's permits are kept. Otherwise a debt of 40 permits would become one of
   * 10, and 30 more could be taken at once. No more permits than twice the largest burst can be
   * owed, so no more are kept: otherwise each pair of a raised and a lowered rate would multiply
   * the debt. A leaky bucket's debt is a queue of promised turns, so its time is kept. A limit of
   * zero permits keeps a debt by the rate of the limit before it.
   */

  private static final long MAX_DEBT_MILLIS = 2 * Limit.MAX_PERIOD.toMillis();

  private final boolean leaky;
  private final long rate; // permits in a period
  private final long largest; // the largest burst that may have been taken, in its own permits
  private final int ticksPerMilli;
  private final long parts; // in a tick
  private final long intervalTicks;
  private final long intervalParts;
  private final long fullTicks; // to fill an empty bucket
  private final long fullParts;
  private final long roomTicks; // for all the room to flow in
  private final long roomParts;
  private final long maxChange; // that can be added or taken away at once
  private final int partBits; // of a packed word
  private final long partMask;
  private final long gap; // parts that fit into partBits beyond those of a tick
  private final long interval; // packed
  private final boolean packed;

  Gcra(Limit.TokenBucket limit, Timeline timeline, long room, long largest, long rateBefore) {
    this(limit, timeline, limit.period(), false, room, largest, rateBefore);
  }

  Gcra(Limit.LeakyBucket limit, Timeline timeline, long room, long largest, long rateBefore) {
    this(limit, timeline, limit.period(), true, room, largest, rateBefore);
  }

  private Gcra(
      Limit limit,
      Timeline timeline,
      Duration period,
      boolean leaky,
      long room,
      long largest,
      long rateBefore) {
    super(limit, timeline, room);
    this.leaky = leaky;
    this.rate = Math.max(1, limit.permits() > 0 ? limit.permits() : rateBefore);
    this.largest = Math.max(capacity(), Math.min(largest, MAX_ROOM));
    ticksPerMilli = (int) (1_000_000 / limit.tick().toNanos());
    long periodTicks = period.toMillis() * ticksPerMilli;
    long shared = greatestCommonDivisor(rate, periodTicks);
    parts = rate / shared;
    intervalTicks = periodTicks / rate;
    intervalParts = periodTicks % rate / shared;
    fullTicks = ticksOf(capacity());
    fullParts = partsOf(capacity());
    long bounded = Math.min(room(), permitsIn(MAX_DEBT_MILLIS * ticksPerMilli));
    roomTicks = ticksOf(bounded);
    roomParts = partsOf(bounded);
    maxChange = Math.min(2 * bounded, 1L << 32);
    partBits = bits(parts - 1);
    partMask = (1L << partBits) - 1;
    gap = (1L << partBits) - parts;
    interval = intervalTicks << partBits | intervalParts;
    long latest = isWide() ? Timeline.LENGTH + 2 * MAX_DEBT_MILLIS + 1 : 2 * Timeline.LENGTH;
    packed = partBits + bits(latest * ticksPerMilli - 1) <= WORD_BITS;
  }

  private static long greatestCommonDivisor(long a, long b) {
    return b == 0 ? a : greatestCommonDivisor(b, a % b);
  }

  @Override
  public long at(long epochNanos) {
    if (ticksPerMilli == 1) {
      return super.at(epochNanos);
    }
    long micros = Math.floorDiv(epochNanos, 1000L);
    return timeline().clampedMillis(Math.floorDiv(micros, 1000L)) * 1000
        + Math.floorMod(micros, 1000L);
  }

  @Override
  public long atMillis(long epochMillis) {
    return timeline().millis(epochMillis) * ticksPerMilli;
  }

  @Override
  public int words() {
    return packed ? 1 : 2;
  }

  // Whole ticks and parts of what `permits` take to flow in.

  private long ticksOf(long permits) {
    return permits * intervalTicks + permits * intervalParts / parts;
  }

  private long partsOf(long permits) {
    return permits * intervalParts % parts;
  }

  /** How many permits flow in within so many ticks; any larger number than possible if too many. */
  private long permitsIn(long ticks) {
    return intervalTicks == 0
        ? MAX_ROOM
        : WideMath.divide(ticks, parts, 0, intervalTicks * parts + intervalParts);
  }

  @Override
  public long take(long word, long now, long cost) {
    long tat = Math.max(word, now << partBits);
    long taken = cost == 1 ? interval : ticksOf(cost) << partBits | partsOf(cost);
    // Whole ticks must carry over at `parts`, but the packed sum carries only at 2^partBits parts.
    // Where the sum of parts reaches `parts`, skip the gap between. No branch, because it would be
    // unpredictable.
    long sum = (tat & partMask) + (taken & partMask);
    long after = tat + taken + (parts - 1 - sum >> Long.SIZE - 1 & gap);
    if (after <= (now + fullTicks << partBits | fullParts)) {
      return after;
    }
    return isAstray(word >>> partBits, now) ? ASTRAY : REFUSED;
  }

  // A bucket's tat.

  private long ticks(Bucket bucket) {
    return packed ? bucket.word(0) >>> partBits : bucket.word(0);
  }

  private long rest(Bucket bucket) {
    return packed ? bucket.word(0) & partMask : bucket.word(1);
  }

  /** Sets tat, given as ticks and parts; the parts may be up to twice too many, or too few. */
  private void set(Bucket bucket, long ticks, long rest) {
    long carry = Math.floorDiv(rest, parts);
    long wholeTicks = ticks + carry;
    long wholeParts = rest - carry * parts;
    if (wholeTicks < 0) {
      wholeTicks = 0;
      wholeParts = 0;
    }
    if (packed) {
      bucket.word(0, wholeTicks << partBits | wholeParts);
    } else {
      bucket.word(0, wholeTicks);
      bucket.word(1, wholeParts);
    }
  }

  private boolean isLater(Bucket bucket, long ticks, long rest) {
    return ticks(bucket) > ticks || (ticks(bucket) == ticks && rest(bucket) > rest);
  }

  private void capAt(Bucket bucket, long ticks, long rest) {
    if (isLater(bucket, ticks, rest)) {
      set(bucket, ticks, rest);
    }
  }

  @Override
  public boolean isAstray(Bucket bucket, long now) {
    return isAstray(ticks(bucket), now);
  }

  @Override
  void spend(Bucket bucket, long now) {
    set(bucket, now + roomTicks, roomParts);
  }

  private boolean isAstray(long ticks, long now) {
    return ticks > now + 2 * roomTicks + 3;
  }

  @Override
  public long waitFor(Bucket bucket, long now, long cost) {
    long ticks = ticks(bucket) + ticksOf(cost) - fullTicks - now;
    long rest = rest(bucket) + partsOf(cost) - fullParts;
    return Math.max(0, ticks + ceil(rest));
  }

  /** Whole ticks, rounded up, of {@code rest} parts: between minus one and two ticks' worth. */
  private long ceil(long rest) {
    return -Math.floorDiv(-rest, parts);
  }

  @Override
  public void take(Bucket bucket, long now, long at, long cost) {
    add(bucket, at, cost);
  }

  private void add(Bucket bucket, long at, long cost) {
    boolean full = ticks(bucket) < at;
    set(
        bucket,
        (full ? at : ticks(bucket)) + ticksOf(cost),
        (full ? 0 : rest(bucket)) + partsOf(cost));
  }

  @Override
  public long delay(Bucket bucket, long now) {
    return leaky ? resetIn(bucket, now) : 0;
  }

  @Override
  public void force(Bucket bucket, long now, long cost) {
    boolean isWithin = !needsRoom(bucket, now);
    long ticks = ticks(bucket);
    long rest = rest(bucket);
    add(bucket, now, Math.min(cost, maxChange));
    long twice = 2 * (isWithin ? fullParts : roomParts);
    capAt(bucket, now + 2 * (isWithin ? fullTicks : roomTicks) + twice / parts, twice % parts);
    if (!isLater(bucket, ticks, rest)) {
      set(bucket, ticks, rest); // never less than before, even after a clock went back
    }
  }

  /**
   * For a leaky bucket, the tat that the charge left. For a token bucket, the moment until which
   * the charge flows back in if it were the only one.
   */
  @Override
  public Mark mark(Bucket bucket, long at, long cost) {
    return leaky
        ? new Mark(ticks(bucket), rest(bucket))
        : new Mark(at + ticksOf(cost), partsOf(cost));
  }

  /**
   * A leaky bucket gives back the last place only. In a token bucket, the charge has already flowed
   * back in, or has overflowed, except for what would still be flowing in: at most that much is
   * left to give back. Earlier charges may have kept it from flowing in, and then more would be
   * due. But they may have been cancelled since, which is not recorded. So the charge counts as if
   * it had been alone.
   */
  @Override
  public void giveBack(Bucket bucket, long now, Mark mark, long cost) {
    boolean isLast = mark.time() == ticks(bucket) && mark.part() == rest(bucket);
    if (now >= mark.time() + (mark.part() > 0 ? 1 : 0) || (leaky && !isLast)) {
      return;
    }
    long ticks = ticksOf(cost);
    long rest = partsOf(cost);
    long owedTicks = mark.time() - now;
    boolean lessIsOwed = ticks > owedTicks || (ticks == owedTicks && rest > mark.part());
    moveBack(bucket, lessIsOwed ? owedTicks : ticks, lessIsOwed ? mark.part() : rest);
  }

  @Override
  public void refund(Bucket bucket, long now, long permits) {
    long some = Math.min(permits, maxChange);
    moveBack(bucket, ticksOf(some), partsOf(some));
  }

  private void moveBack(Bucket bucket, long ticks, long rest) {
    set(bucket, ticks(bucket) - ticks, rest(bucket) - rest);
  }

  @Override
  public long remaining(Bucket bucket, long now) {
    if (capacity() == 0) {
      return 0;
    }
    boolean full = ticks(bucket) < now;
    long ticks = fullTicks - (full ? 0 : ticks(bucket) - now);
    long rest = fullParts - (full ? 0 : rest(bucket));
    if (rest < 0) {
      rest += parts;
      ticks--;
    }
    return ticks < 0
        ? 0
        : WideMath.divide(ticks, parts, rest, intervalTicks * parts + intervalParts);
  }

  @Override
  public long resetIn(Bucket bucket, long now) {
    return Math.max(0, ticks(bucket) + (rest(bucket) > 0 ? 1 : 0) - now);
  }

  @Override
  public boolean isFresh(long word, long now) {
    return word <= now << partBits;
  }

  @Override
  public boolean isFresh(Bucket bucket, long now) {
    return resetIn(bucket, now) == 0;
  }

  @Override
  public long reach(long now) {
    return fullTicks;
  }

  @Override
  public boolean needsRoom(Bucket bucket, long now) {
    return isLater(bucket, now + fullTicks, fullParts);
  }

  @Override
  long largest() {
    return largest;
  }

  @Override
  long rate() {
    return rate;
  }

  /**
   * Keeps the time that the permits take, and for a token bucket also the permits of the largest
   * burst.
   */
  @Override
  long converted(long permits, Limit heir) {
    long after = heir.permits() > 0 ? heir.permits() : rate;
    long asTime = WideMath.divide(permits, after, rate - 1, rate); // less than 2^63
    return leaky ? asTime : Math.max(asTime, largest);
  }

  @Override
  public void inherit(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    Gcra that = (Gcra) from;
    if (ticksPerMilli == that.ticksPerMilli) {
      set(bucket, that.ticks(old), ceilOf(that.rest(old), parts, that.parts));
    } else {
      set(bucket, 0, that.debt(old, 0), that, 1, 1, inParts(4 * Timeline.LENGTH));
    }
    // At the same tick, permits of a rate that is not higher take no longer than their time.
    boolean mayTakeLonger = that.rate > rate || that.ticksPerMilli < ticksPerMilli;
    if (!leaky && mayTakeLonger && that.isLater(old, then, 0)) {
      long ticks = ticks(bucket);
      long rest = rest(bucket);
      long maxOwed = that.isAstray(old, then) ? largest : 2 * largest;
      set(bucket, now, that.debt(old, then), that, that.rate, rate, timeOf(maxOwed));
      if (!isLater(bucket, ticks, rest)) {
        set(bucket, ticks, rest);
      }
    }
  }

  @Override
  public void inheritShared(Bucket bucket, long now, Algorithm from, long then, Bucket old) {
    inherit(bucket, now, from, then, old);
    capAt(bucket, now + roomTicks, roomParts);
  }

  /** What {@code permits} take to flow in, in parts; 100 years at most. */
  private BigInteger timeOf(long permits) {
    return BigInteger.valueOf(intervalTicks)
        .multiply(BigInteger.valueOf(parts))
        .add(BigInteger.valueOf(intervalParts))
        .multiply(BigInteger.valueOf(permits))
        .min(inParts(MAX_DEBT_MILLIS));
  }

  private BigInteger inParts(long millis) {
    return BigInteger.valueOf(millis * ticksPerMilli).multiply(BigInteger.valueOf(parts));
  }

  /** A bucket's debt since {@code start}, in parts. */
  private BigInteger debt(Bucket bucket, long start) {
    return BigInteger.valueOf(ticks(bucket) - start)
        .multiply(BigInteger.valueOf(parts))
        .add(BigInteger.valueOf(rest(bucket)));
  }

  /**
   * Sets tat to {@code debt × factor / divisor}, in parts of another limit, after {@code start}; at
   * most {@code maxParts} parts after it.
   */
  private void set(
      Bucket bucket,
      long start,
      BigInteger debt,
      Gcra of,
      long factor,
      long divisor,
      BigInteger maxParts) {
    BigInteger unit =
        BigInteger.valueOf(of.parts)
            .multiply(BigInteger.valueOf(of.ticksPerMilli))
            .multiply(BigInteger.valueOf(divisor));
    BigInteger mine =
        debt.multiply(BigInteger.valueOf(factor))
            .multiply(BigInteger.valueOf(ticksPerMilli))
            .multiply(BigInteger.valueOf(parts))
            .add(unit.subtract(BigInteger.ONE))
            .divide(unit);
    BigInteger[] pair = mine.min(maxParts).divideAndRemainder(BigInteger.valueOf(parts));
    set(bucket, start + pair[0].longValueExact(), pair[1].longValueExact());
  }

  @Override
  public void load(Bucket bucket, long... state) {
    set(bucket, state[0], state[1]);
  }

  private static long ceilOf(long rest, long parts, long oldParts) {
    return (rest * parts + oldParts - 1) / oldParts;
  }
}
