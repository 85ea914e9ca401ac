package io.weir.redis;

import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithm.Mark;
import io.weir.algorithm.Bucket;
import io.weir.algorithm.Timeline;
import java.time.Duration;

/**
 * One limit in the form of the scripts: writes its parameters and reads its numbers.
 *
 * <p>If a bucket is a few numbers, a script returns them, and the algorithm of the core interprets
 * them. For long ones it returns the values that a caller needs.
 */
abstract sealed class LimitCodec {
  /** Identifies no charge: nothing is given back. */
  static final Mark NO_MARK = new Mark(0, 0);

  /** How to read the reply to a request. */
  enum Reading {
    /** The request, or one before it, was granted: the numbers are those after it. */
    GRANTED,
    /** It was not taken: the wait, if there is one, is until it fits. */
    UNTAKEN,
    /** A reservation found no place. */
    UNRESERVED
  }

  /** The maximum length of any lease, in microseconds. */
  static final long MAX_LEASE_MICROS = 60_000_000;

  /** The maximum length of a lease with uses that do not move to their time. */
  static final long MAX_UNMOVED_LEASE_MICROS = 4_000_000;

  /** A lease is this part of the time in which a limit's permits come back. */
  static final int LEASES_IN_A_SPAN = 10;

  /** The same for uses that move. */
  private static final int MOVED_LEASES_IN_A_SPAN = 2;

  private static final long NANOS = 1000; // per microsecond
  private static final long MAX_PERMITS = 1L << 52; // the maximum that a script can count

  final Limit limit;
  final Algorithm algorithm;

  private LimitCodec(Limit limit) {
    this.limit = limit;
    // Other nodes may have larger limits, so the bucket accepts any count from them.
    this.algorithm = Algorithm.of(limit, Timeline.ofEpoch(), Algorithm.MAX_ROOM);
  }

  /**
   * @param isMoved whether nodes take permits in advance, and uses move to their time where
   *     possible
   * @param isAhead whether charges may be ahead of their time, for that or another reason
   */
  static LimitCodec of(Limit limit, boolean isMoved, boolean isAhead) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new OfBucket(bucket, bucket.period().toMillis(), false, isAhead);
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return new OfBucket(bucket, bucket.period().toMillis(), true, isAhead);
    } else if (limit instanceof Limit.FixedWindow window) {
      return new OfFixedWindow(window);
    } else if (limit instanceof Limit.SlidingWindow window) {
      return new OfSlidingWindow(window);
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      return new OfEpochs(epochs);
    }
    return new OfLog((Limit.SlidingLog) limit, isMoved);
  }

  /** The script file of the algorithm. */
  abstract String file();

  /** The time in which all permits come back, in microseconds. */
  abstract long spanMicros();

  /**
   * The maximum length of a lease.
   *
   * @param isMoved whether uses move to their time
   */
  long leaseMicros(boolean isMoved) {
    return isMoved
        ? Math.min(MAX_LEASE_MICROS, spanMicros() / MOVED_LEASES_IN_A_SPAN)
        : Math.min(MAX_UNMOVED_LEASE_MICROS, spanMicros() / LEASES_IN_A_SPAN);
  }

  /** Whether uses of a lease can move to their time. */
  boolean canMove() {
    return false;
  }

  /** How many numbers a reply has for this limit. */
  abstract int numbers();

  /**
   * The limit as the scripts unpack it.
   *
   * @param cost of the request
   * @param mark of the charge to give back
   * @param nowMicros the server's approximate time
   */
  abstract byte[] pack(long cost, Mark mark, long nowMicros);

  /**
   * The state of the limit for the caller.
   *
   * @param from the index of this limit's first number in the reply
   * @param later how many times {@code cost} was granted after this request
   */
  abstract LimitStatus status(
      long[] reply, int from, long nowMicros, long cost, int later, Reading reading);

  /** How many permits are used, by a reply to a request for none. */
  long spent(long[] reply, int from, long nowMicros) {
    return limit.capacity() - status(reply, from, nowMicros, 0, 0, Reading.GRANTED).remaining();
  }

  /**
   * How long to delay a request that was granted for {@code atMicros}, or would have been if
   * nothing was taken; in nanoseconds.
   */
  long delay(long[] reply, int from, long atMicros, long cost, int later, boolean taken) {
    return 0;
  }

  /** Identifies a charge that was granted for {@code atMicros}. */
  abstract Mark mark(long[] reply, int from, long atMicros, long cost, int later);

  /** Identifies a charge by a call that also leased permits. */
  Mark markBesideLease(long[] reply, int from, long nowMicros, long cost, int later) {
    return mark(reply, from, nowMicros, cost, later);
  }

  /** Identifies a part of a charge, after the rest was given back. */
  Mark ofPart(Mark mark) {
    return mark;
  }

  /** Whether the scripts need the calendar. */
  boolean isOfCalendar() {
    return false;
  }

  final long at(long micros) {
    return algorithm.at(micros * NANOS);
  }

  final LimitStatus status(Bucket bucket, long nowMicros, long cost, Reading reading) {
    return reading == Reading.UNRESERVED
        ? algorithm.statusOfRefusedReservation(bucket, at(nowMicros), cost)
        : algorithm.status(bucket, at(nowMicros), cost, reading == Reading.GRANTED);
  }

  /** A cost that is exact in a script, with the same effect. */
  static long countable(long cost) {
    return Math.min(cost, MAX_PERMITS);
  }

  /** A token or leaky bucket: see gcra.lua. */
  private static final class OfBucket extends LimitCodec {
    private static final long MAX_BUCKET_LEASE_MICROS = 1_000_000;
    private static final Duration MAX_DEBT = Limit.MAX_PERIOD.multipliedBy(2);
    private static final int GENERATION = 16;
    private static final int FINE = 1;
    private static final int TWO_BYTES = 2;
    private static final int FOUR_BYTES = 4;
    private static final int NO_CAPACITY = 8;

    private final boolean leaky;
    private final boolean leased;
    private final boolean fine;
    private final long periodTicks;
    private final long parts;
    private final long intervalTicks;
    private final long intervalParts;
    private final long maxOwed; // the maximum that can be owed
    private final byte[] single;

    OfBucket(Limit limit, long periodMillis, boolean leaky, boolean leased) {
      super(limit);
      this.leaky = leaky;
      this.leased = leased;
      fine = limit.tick().toNanos() < 1_000_000;
      long permits = Math.max(1, limit.permits());
      periodTicks = fine ? periodMillis * 1000 : periodMillis;
      long shared = greatestCommonDivisor(permits, periodTicks);
      parts = permits / shared;
      intervalTicks = periodTicks / permits;
      intervalParts = periodTicks % permits / shared;
      long periods = Math.min(MAX_DEBT.toMillis() / periodMillis, (1L << 32) / permits);
      maxOwed = Math.max(2 * limit.capacity(), permits * periods);
      single = pack(1, NO_MARK);
    }

    private static long greatestCommonDivisor(long a, long b) {
      return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }

    private long ticksOf(long permits) {
      return permits * intervalTicks + permits * intervalParts / parts;
    }

    private long partsOf(long permits) {
      return permits * intervalParts % parts;
    }

    @Override
    String file() {
      return "gcra";
    }

    @Override
    long spanMicros() {
      return ticksOf(limit.capacity()) * (fine ? 1 : 1000);
    }

    /** A bucket loses the permits that flow in during a lease, so its leases are shorter. */
    @Override
    long leaseMicros(boolean isMoved) {
      return Math.min(MAX_BUCKET_LEASE_MICROS, super.leaseMicros(isMoved));
    }

    @Override
    int numbers() {
      return 2;
    }

    @Override
    byte[] pack(long cost, Mark mark, long nowMicros) {
      return cost == 1 && mark == NO_MARK ? single : pack(cost, mark);
    }

    private byte[] pack(long cost, Mark mark) {
      long some = Math.min(cost, maxOwed);
      long most = Math.max(limit.permits(), limit.capacity());
      int size = most < 1 << 8 ? 1 : most < 1 << 16 ? 2 : 4;
      boolean isSquare = limit.permits() == limit.capacity();
      int head =
          GENERATION
              + (fine ? FINE : 0)
              + (size == 1 ? 0 : size == 2 ? TWO_BYTES : FOUR_BYTES)
              + (isSquare ? NO_CAPACITY : 0);
      int length = 1 + (fine ? 7 : 6) + (isSquare ? 2 : 3) * size;
      return new PackedNumbers()
          .letter('g')
          .number(head, 1)
          .number(length, 1)
          .number(parts, 4)
          .number(ticksOf(limit.capacity()), 7)
          .number(partsOf(limit.capacity()), 4)
          .number(ticksOf(some), 7)
          .number(partsOf(some), 4)
          .number(limit.permits(), 4)
          .number(isSquare ? length + 1 : limit.capacity(), 4)
          .text((fine ? "<BI7" : "<BI6") + ("I" + size).repeat(isSquare ? 2 : 3))
          .number(0, 1)
          .number(leaky ? 1 : 0, 1)
          .number(limit.capacity(), 4)
          .number(periodTicks, 7)
          .number(mark.time(), 7)
          .number(mark.part(), 4)
          .toBytes();
    }

    /** The bucket before the last {@code times} times {@code cost} were taken. */
    private Bucket bucket(long[] reply, int from, long cost, int times) {
      Bucket bucket = new Bucket(algorithm.words());
      if (times == 0) {
        algorithm.load(bucket, reply[from], reply[from + 1]);
      } else {
        long permits = times * cost;
        algorithm.load(bucket, reply[from] - ticksOf(permits), reply[from + 1] - partsOf(permits));
      }
      return bucket;
    }

    @Override
    LimitStatus status(
        long[] reply, int from, long nowMicros, long cost, int later, Reading reading) {
      return status(bucket(reply, from, cost, later), nowMicros, cost, reading);
    }

    /** If the bucket is empty, its debt is what was used beyond the capacity. */
    @Override
    long spent(long[] reply, int from, long nowMicros) {
      long capacity = limit.capacity();
      long spent = capacity - algorithm.remaining(bucket(reply, from, 0, 0), at(nowMicros));
      if (spent < capacity) {
        return spent;
      }
      Bucket before = bucket(reply, from, capacity, 1);
      return 2 * capacity - algorithm.remaining(before, at(nowMicros));
    }

    @Override
    long delay(long[] reply, int from, long atMicros, long cost, int later, boolean taken) {
      if (!leaky) {
        return 0;
      }
      Bucket before = bucket(reply, from, cost, taken ? later + 1 : 0);
      return algorithm.nanos(algorithm.delay(before, at(atMicros)));
    }

    /**
     * For leased limits, only the last charge can be given back; the tat that it left identifies
     * it.
     */
    @Override
    Mark mark(long[] reply, int from, long atMicros, long cost, int later) {
      if (!leased) {
        return algorithm.mark(bucket(reply, from, cost, later), at(atMicros), cost);
      }
      long rest = reply[from + 1] - partsOf(later * cost);
      long ticks = reply[from] - ticksOf(later * cost);
      return rest < 0 ? new Mark(ticks - 1, rest + parts) : new Mark(ticks, rest);
    }

    /** None: if the bucket is where the charge left it, then other charges have moved it there. */
    @Override
    Mark ofPart(Mark mark) {
      return NO_MARK;
    }
  }

  /** A fixed window: see fixed-window.lua. */
  private static final class OfFixedWindow extends LimitCodec {
    /** The first calendar window that a script receives: the one before the present. */
    private static final int FIRST_WINDOW = -1;

    private static final int LAST_WINDOW = 3;

    private final long length;

    OfFixedWindow(Limit.FixedWindow limit) {
      super(limit);
      length = limit.span() instanceof Limit.Length even ? even.period().toMillis() : 0;
    }

    @Override
    String file() {
      return "fixed-window";
    }

    /** Calendar windows last at least a day. */
    @Override
    long spanMicros() {
      return isOfCalendar() ? Long.MAX_VALUE : length * 1000;
    }

    @Override
    int numbers() {
      return 2;
    }

    @Override
    boolean isOfCalendar() {
      return length == 0;
    }

    @Override
    byte[] pack(long cost, Mark mark, long nowMicros) {
      PackedNumbers packedNumbers =
          new PackedNumbers()
              .letter('f')
              .number(limit.capacity(), 4)
              .number(length, 7)
              .number(mark.time(), 7);
      if (isOfCalendar()) {
        for (int ahead = FIRST_WINDOW; ahead <= LAST_WINDOW; ahead++) {
          packedNumbers.number(algorithm.windowStart(at(nowMicros), ahead), 7);
        }
      }
      return packedNumbers.toBytes();
    }

    @Override
    LimitStatus status(
        long[] reply, int from, long nowMicros, long cost, int later, Reading reading) {
      Bucket bucket = new Bucket(algorithm.words());
      algorithm.load(bucket, reply[from], reply[from + 1] - later * cost);
      return status(bucket, nowMicros, cost, reading);
    }

    @Override
    Mark mark(long[] reply, int from, long atMicros, long cost, int later) {
      return new Mark(reply[from], 0);
    }
  }

  /** A sliding window: see sliding-window.lua. */
  private static final class OfSlidingWindow extends LimitCodec {
    private final long period;

    OfSlidingWindow(Limit.SlidingWindow limit) {
      super(limit);
      period = limit.period().toMillis();
    }

    @Override
    String file() {
      return "sliding-window";
    }

    @Override
    long spanMicros() {
      return period * 1000;
    }

    @Override
    int numbers() {
      return 3;
    }

    @Override
    byte[] pack(long cost, Mark mark, long nowMicros) {
      return new PackedNumbers()
          .letter('w')
          .number(limit.capacity(), 4)
          .number(period, 7)
          .number(mark.time(), 7)
          .toBytes();
    }

    @Override
    LimitStatus status(
        long[] reply, int from, long nowMicros, long cost, int later, Reading reading) {
      Bucket bucket = new Bucket(algorithm.words());
      algorithm.load(bucket, reply[from], reply[from + 1] - later * cost, reply[from + 2]);
      return status(bucket, nowMicros, cost, reading);
    }

    @Override
    Mark mark(long[] reply, int from, long atMicros, long cost, int later) {
      return new Mark(reply[from], 0);
    }
  }

  /**
   * A limit for which a script returns final values: remaining, and three waits in milliseconds.
   */
  private abstract static sealed class InWhole extends LimitCodec {
    final long period;
    private final int flags;

    static final int COUNTS_REJECTED = 1;
    static final int LEASED = 2;

    InWhole(Limit limit, long period, int flags) {
      super(limit);
      this.period = period;
      this.flags = flags;
    }

    @Override
    final long spanMicros() {
      return period * 1000;
    }

    final PackedNumbers pack(char letter) {
      return new PackedNumbers()
          .letter(letter)
          .number(flags, 1)
          .number(limit.capacity(), 4)
          .number(period, 7);
    }

    @Override
    LimitStatus status(
        long[] reply, int from, long nowMicros, long cost, int later, Reading reading) {
      long remaining = reply[from] + later * cost;
      long growth = algorithm.nanos(reply[from + 2]);
      long reset = algorithm.nanos(reply[from + 3]);
      if (cost > limit.capacity()) {
        return LimitStatus.neverFits(limit, remaining, growth, reset);
      }
      boolean waits = reading != Reading.GRANTED && cost > 0;
      long wait = waits ? algorithm.nanos(reply[from + 1]) : 0;
      return LimitStatus.of(limit, remaining, wait, growth, reset);
    }
  }

  /** Sliding epochs: see sliding-epochs.lua. */
  private static final class OfEpochs extends InWhole {
    private final int epochs;

    OfEpochs(Limit.SlidingEpochs limit) {
      super(limit, limit.period().toMillis(), limit.countRejected() ? COUNTS_REJECTED : 0);
      epochs = limit.epochs();
    }

    @Override
    String file() {
      return "sliding-epochs";
    }

    @Override
    int numbers() {
      return 4;
    }

    @Override
    byte[] pack(long cost, Mark mark, long nowMicros) {
      return pack('e').number(epochs, 2).number(mark.time(), 7).toBytes();
    }

    @Override
    Mark mark(long[] reply, int from, long atMicros, long cost, int later) {
      return new Mark(at(atMicros) / (period / epochs), 0);
    }
  }

  /** A sliding log: see sliding-log.lua. */
  private static final class OfLog extends InWhole {
    private final boolean isMoved;

    OfLog(Limit.SlidingLog limit, boolean isMoved) {
      super(
          limit,
          limit.period().toMillis(),
          isMoved ? LEASED : limit.countRejected() ? COUNTS_REJECTED : 0);
      this.isMoved = isMoved;
    }

    @Override
    boolean canMove() {
      return isMoved;
    }

    @Override
    String file() {
      return "sliding-log";
    }

    @Override
    int numbers() {
      return 5;
    }

    @Override
    byte[] pack(long cost, Mark mark, long nowMicros) {
      return pack('l').number(mark.time(), 7).toBytes();
    }

    @Override
    Mark mark(long[] reply, int from, long atMicros, long cost, int later) {
      return new Mark(reply[from + 4], 0);
    }

    /** A waiting request is charged at once, and the reply contains the lease's end. */
    @Override
    Mark markBesideLease(long[] reply, int from, long nowMicros, long cost, int later) {
      return isMoved
          ? new Mark(Math.floorDiv(nowMicros + 999, 1000L), 0)
          : mark(reply, from, nowMicros, cost, later);
    }
  }
}
