package io.weir.memory;

import io.weir.Limit;
import io.weir.TimeSource;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import io.weir.algorithm.Timeline;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of one set of limits. A change of limits makes a new engine, which continues from the
 * old one's buckets: key by key as requests arrive, and in the end all of them.
 */
abstract class TableEngine {
  /** The result of a request. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** The bucket has moved to another engine; retry there. */
    RETIRED
  }

  private static final int FEW_PAGES = 8;
  private static final AtomicLong IDS = new AtomicLong();

  private final long id = IDS.getAndIncrement();
  private final Timeline timeline;
  private final TimeSource clock;
  private final Algorithm[] algorithms;
  private final long minCapacity;
  private final boolean countsRejected;
  private final long maxKeys;
  private final OverflowBuckets[] overflow;
  private final TableMemory.Part memory;
  private final AtomicInteger sweeps = new AtomicInteger();
  private final boolean isWide;
  private final PageCursor settled; // through the ancestor's pages
  private final Moment takeover;
  private @Nullable PageCursor looked;
  private volatile @Nullable TableEngine ancestor;
  private volatile boolean keepAll;

  TableEngine(Plan plan) {
    this.maxKeys = plan.maxKeys;
    this.timeline = plan.timeline;
    this.clock = plan.clock;
    this.ancestor = plan.ancestor;
    this.takeover = plan.takeover;
    this.settled = new PageCursor(plan.ancestor == null ? 0 : plan.ancestor.tables());
    this.algorithms = plan.algorithms;
    this.minCapacity = Arrays.stream(algorithms).mapToLong(Algorithm::capacity).min().orElse(0);
    this.countsRejected = Arrays.stream(algorithms).anyMatch(Algorithm::countsRejected);
    this.memory = new TableMemory.Part(plan.memory);
    this.overflow =
        Arrays.stream(plan.overflow)
            .map(
                each ->
                    new OverflowBuckets(
                        each, overflowBefore(plan.ancestor, each), takeover, memory))
            .toArray(OverflowBuckets[]::new);
    this.isWide =
        Stream.concat(Arrays.stream(algorithms), Arrays.stream(plan.overflow))
            .anyMatch(Algorithm::isWide);
  }

  /** The engine for {@code limits}, which replace those of {@code ancestor} now. */
  static TableEngine of(
      List<Limit> limits,
      List<Limit> overflow,
      long maxKeys,
      TableMemory memory,
      Timeline timeline,
      TimeSource clock,
      @Nullable TableEngine ancestor) {
    Moment takeover = Moment.ofNanos(ancestor == null ? 0 : clock.epochNanos());
    return of(limits, overflow, maxKeys, memory, timeline, clock, ancestor, takeover, 0);
  }

  /**
   * The engine for {@code limits}, with room for what the ancestor's buckets have spent.
   *
   * @param takeover the moment at which they replace the ancestor's
   * @param room for at least so many permits in a window, whatever the limits are
   */
  static TableEngine of(
      List<Limit> limits,
      List<Limit> overflow,
      long maxKeys,
      TableMemory memory,
      Timeline timeline,
      TimeSource clock,
      @Nullable TableEngine ancestor,
      Moment takeover,
      long room) {
    List<Algorithm> before = List.of();
    List<Algorithm> overflowBefore = List.of();
    if (ancestor != null) {
      UnaryOperator<Algorithm> needed =
          ancestor.needsRoom(takeover) ? UnaryOperator.identity() : Algorithm::narrowed;
      before = Arrays.stream(ancestor.algorithms).map(needed).toList();
      overflowBefore =
          Arrays.stream(ancestor.overflow).map(OverflowBuckets::algorithm).map(needed).toList();
    }
    return of(
        new Plan(
            withRoom(limits, timeline, before, room),
            withRoom(overflow, timeline, overflowBefore, room),
            maxKeys,
            memory,
            timeline,
            clock,
            ancestor,
            takeover));
  }

  private static Algorithm[] withRoom(
      List<Limit> limits, Timeline timeline, List<Algorithm> before, long room) {
    return limits.stream()
        .map(limit -> withRoom(Algorithm.of(limit, timeline, before), timeline, room))
        .toArray(Algorithm[]::new);
  }

  private static Algorithm withRoom(Algorithm algorithm, Timeline timeline, long room) {
    return algorithm.room() < room && algorithm.limit() instanceof Limit.FixedWindow
        ? Algorithm.of(algorithm.limit(), timeline, room)
        : algorithm;
  }

  /** Chooses the engine without locks where a bucket is one word. */
  private static TableEngine of(Plan plan) {
    boolean oneWord = plan.algorithms.length == 1 && plan.algorithms[0].isOneWord();
    TableEngine made = oneWord ? new WordEngine(plan) : new RecordEngine(plan);
    plan.memory.register(made, made.memory());
    return made;
  }

  /** An engine that continues from this one without room for more than the capacities. */
  final TableEngine narrowed(Moment moment) {
    return of(
        new Plan(
            Arrays.stream(algorithms).map(Algorithm::narrowed).toArray(Algorithm[]::new),
            Arrays.stream(overflow)
                .map(each -> each.algorithm().narrowed())
                .toArray(Algorithm[]::new),
            maxKeys,
            memory.whole(),
            timeline,
            clock,
            this,
            moment));
  }

  private static @Nullable OverflowBuckets overflowBefore(
      @Nullable TableEngine old, Algorithm algorithm) {
    if (old != null) {
      for (OverflowBuckets each : old.overflow) {
        if (each.algorithm().limit().sharesBucketsWith(algorithm.limit())) {
          return each;
        }
      }
    }
    return null;
  }

  /** A number that differs from that of all other engines. */
  final long id() {
    return id;
  }

  final Timeline timeline() {
    return timeline;
  }

  final Algorithm[] algorithms() {
    return algorithms;
  }

  /** The overflow bucket of a key. */
  final Overflow overflow(int limit, long hash) {
    return overflow[limit].of(hash);
  }

  /** The tables' account of heap memory. */
  final TableMemory.Part memory() {
    return memory;
  }

  /** The most permits that fit at one moment. */
  final long minCapacity() {
    return minCapacity;
  }

  /** Whether one of the limits records refusals. */
  final boolean countsRejected() {
    return countsRejected;
  }

  /** Takes {@code cost} permits, from 1 to the smallest capacity, of all limits or of none. */
  abstract Outcome tryAcquire(long hash, long time, boolean inMillis, long cost);

  /**
   * The same for a hot key, by the clock; {@link Outcome#RETIRED} if its place is missing or stale.
   */
  Outcome tryAcquire(HotKey hot, long time, long cost) {
    return tryAcquire(hot.hash(), time, false, cost);
  }

  /** The hot key with its present place, where engines have places. */
  HotKey placed(HotKey hot) {
    return hot;
  }

  /**
   * Applies {@code edit} to the buckets of a key in one atomic step; returns null if they have
   * moved.
   */
  abstract <R> @Nullable R edit(long hash, Moment moment, Edit<R> edit);

  /** Drops what is no longer needed in one page of each table. */
  final void sweep(long time, boolean inMillis) {
    sweep(sweeps.getAndIncrement(), time, inMillis);
  }

  abstract void sweep(int page, long time, boolean inMillis);

  /** How many pages a full sweep has. */
  abstract int pages();

  /**
   * Sweeps for a request that finds the tables full: a small table at once, a large one step by
   * step. If the memory of all tables is the reason, it also sweeps the others.
   */
  final void makeRoom(long time, boolean inMillis) {
    int pages = pages();
    if (pages <= FEW_PAGES) {
      for (int i = 0; i < pages; i++) {
        sweep(time, inMillis);
      }
    } else if (ThreadLocalRandom.current().nextInt(FEW_PAGES) == 0) {
      sweep(time, inMillis);
    }
    if (memory.isFull() && ThreadLocalRandom.current().nextInt(FEW_PAGES) == 0) {
      sweepAnother();
    }
  }

  /**
   * Sweeps one page of each table of another engine: its rule may have no requests that would sweep
   * it.
   */
  final void sweepAnother() {
    TableEngine other = memory.whole().next();
    if (other != null && other != this && !other.keepAll) {
      other.sweep(other.clock.epochNanos(), false);
    }
  }

  /** How many requests the overflow buckets have decided. */
  final long overflowed() {
    long max = 0;
    for (OverflowBuckets each : overflow) {
      max = Math.max(max, each.uses());
    }
    return max;
  }

  /** How many keys are live, about. */
  abstract long keys();

  /** From now on no key's buckets may be dropped because of another key's time. */
  final void keepAll() {
    keepAll = true;
  }

  final boolean keepsAll() {
    return keepAll;
  }

  /**
   * Cuts a bucket that lies too far in the future, because a clock has been put back. Not with
   * times given by callers: in a recording times go back and forth. A bucket that was cut would
   * have filled up again at the later time, and would give everything twice.
   */
  final void mend(Algorithm algorithm, Bucket bucket, long now) {
    if (!keepAll && algorithm.isAstray(bucket, now)) {
      // Or no clock went back: this thread read the clock and was then held up while others went
      // on.
      algorithm.mend(bucket, Math.max(now, algorithm.at(clock.epochNanos())));
    }
  }

  /** The overflow bucket of a limit, locked and mended; null if it has retired. */
  final @Nullable Bucket lockOverflow(int limit, long hash, Moment moment) {
    Algorithm shared = overflow[limit].algorithm();
    Bucket bucket = overflow[limit].of(hash).lock();
    if (bucket != null) {
      mend(shared, bucket, moment.in(shared));
    }
    return bucket;
  }

  /**
   * Reads the bucket that {@code hash} has under {@code limit} for the last time: it has retired.
   */
  abstract void retire(long hash, int limit, Bucket into);

  /** How many tables a walk goes through. */
  abstract int tables();

  /**
   * Retires the next page of a walk and passes the keys in some of its slots to {@code heir}, which
   * then need not look them up here any more.
   */
  abstract void retireSome(PageCursor pageCursor, int slots, KeyVisitor heir);

  // The methods that follow, up to inherit, are called by one thread at a time.

  /** Takes over all keys of the ancestor and releases it. */
  final void settle(Moment moment) {
    while (ancestor != null) {
      settleSome(Short.MAX_VALUE, moment);
    }
  }

  /**
   * Takes over the keys in some more slots of the ancestor; releases it once all are taken over.
   */
  final void settleSome(int slots, Moment moment) {
    TableEngine old = ancestor;
    if (old == null) {
      return;
    }
    // An edit that changes nothing: it writes what is inherited.
    old.retireSome(settled, slots, hash -> edit(hash, moment, (algorithms, buckets, now) -> true));
    if (settled.isOver()) {
      for (OverflowBuckets each : overflow) {
        each.settle();
      }
      ancestor = null;
      old.memory.close();
    }
  }

  /** Whether there is nothing left to take over. */
  final boolean isSettled() {
    return ancestor == null;
  }

  /** Whether there is room for more than the capacities. */
  final boolean isWide() {
    return isWide;
  }

  /** Looks for a key that needs more room than the capacity, in all pages not looked at yet. */
  final boolean needsRoom(Moment moment) {
    while (isWide && lookOn(moment)) {
      if (hasLookedAtAll()) {
        return false;
      }
    }
    return isWide;
  }

  /**
   * Checks the next page, and stays at a page where a key needs more room than the capacity.
   * Checked pages need not be checked again: only earlier limits made such keys, and they are
   * settled. Keys start from the overflow bucket, so that is checked first.
   */
  final boolean lookOn(Moment moment) {
    if (keepAll || ancestor != null) {
      return false;
    }
    PageCursor pageCursor = looked;
    if (pageCursor == null) {
      for (OverflowBuckets each : overflow) {
        if (each.needsRoom(moment)) {
          return false;
        }
      }
      pageCursor = new PageCursor(tables());
      looked = pageCursor;
    }
    return pageCursor.isOver() || look(pageCursor, moment);
  }

  final boolean hasLookedAtAll() {
    PageCursor pageCursor = looked;
    return pageCursor != null && pageCursor.isOver();
  }

  /** Moves on beyond the next page of a walk, unless a key in it needs more room. */
  abstract boolean look(PageCursor pageCursor, Moment moment);

  /**
   * What the untouched {@code bucket} starts from: the key's own under the limits before, or a copy
   * of the overflow bucket that it may have shared.
   */
  final void inherit(long hash, int limit, Bucket bucket, Moment moment) {
    TableEngine old = ancestor;
    if (old != null && old.handDown(hash, algorithms[limit], bucket, takeover)) {
      return;
    }
    overflow[limit].handDown(hash, algorithms[limit], bucket, moment);
  }

  /**
   * Whether a key has something spent under the previous limits. Then it must get a place, even if
   * new keys have filled the tables since.
   */
  final boolean hasPast(long hash, int limit) {
    TableEngine old = ancestor;
    Bucket ignored = new Bucket(algorithms[limit].words());
    return old != null && old.handDown(hash, algorithms[limit], ignored, takeover);
  }

  /** Whether a table of {@code keys} has no place for new keys, nor will have after a change. */
  final boolean isFull(long keys) {
    TableEngine old = ancestor;
    return keys >= maxKeys || memory.isFull() || (old != null && old.keys() >= maxKeys);
  }

  /** Whether an untouched bucket may have to start from an earlier state. */
  final boolean bequeaths(int limit, long hash) {
    return ancestor != null || overflow[limit].isActive(hash);
  }

  private boolean handDown(long hash, Algorithm heir, Bucket bucket, Moment takeover) {
    for (int i = 0; i < algorithms.length; i++) {
      if (algorithms[i].limit().sharesBucketsWith(heir.limit())) {
        Bucket mine = new Bucket(algorithms[i].words());
        retire(hash, i, mine);
        if (!canForget(algorithms[i], mine, takeover)) {
          long then = takeover.in(algorithms[i]);
          heir.inherit(bucket, takeover.in(heir), algorithms[i], then, mine);
          return true;
        }
      }
    }
    return false;
  }

  /** With times given by callers, only a bucket that is fresh at any time can be dropped. */
  private boolean canForget(Algorithm algorithm, Bucket bucket, Moment moment) {
    return keepAll
        ? isUntouched(algorithm, bucket)
        : algorithm.isFresh(bucket, moment.in(algorithm));
  }

  private static boolean isUntouched(Algorithm algorithm, Bucket bucket) {
    for (int i = 0; i < algorithm.words(); i++) {
      if (bucket.word(i) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The parts of an engine. */
  @SuppressWarnings("ArrayRecordComponent") // plans are not compared
  record Plan(
      Algorithm[] algorithms,
      Algorithm[] overflow,
      long maxKeys,
      TableMemory memory,
      Timeline timeline,
      TimeSource clock,
      @Nullable TableEngine ancestor,
      Moment takeover) {}

  /** Receives each key that an engine still had. */
  interface KeyVisitor {
    void visit(long hash);
  }

  /** An operation on the buckets of one key, one for each limit. */
  interface Edit<R> {
    R apply(Algorithm[] algorithms, Bucket[] buckets, Moment moment);
  }
}
