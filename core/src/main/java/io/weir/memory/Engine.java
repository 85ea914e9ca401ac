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
import org.jspecify.annotations.Nullable;

/**
 * The tables of one set of limits. A change of limits makes a new engine, which goes on from the
 * old one's buckets: key by key as they are asked for, and all of them in the end.
 */
abstract class Engine {
  /** What a request came to. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** The bucket has moved to another engine: ask that one. */
    RETIRED
  }

  private static final int FEW_PAGES = 8;
  private static final AtomicLong IDS = new AtomicLong();

  private final long id = IDS.getAndIncrement();
  private final Timeline timeline;
  private final TimeSource clock;
  private final Algorithm[] algorithms;
  private final long leastCapacity;
  private final boolean countsRejected;
  private final long maxKeys;
  private final Overflow[] overflow;
  private final AtomicInteger sweeps = new AtomicInteger();
  private volatile @Nullable Engine ancestor;
  private volatile boolean keepAll;

  Engine(
      List<Limit> limits,
      List<Limit> overflow,
      long maxKeys,
      Timeline timeline,
      TimeSource clock,
      @Nullable Engine ancestor) {
    this.maxKeys = maxKeys;
    this.timeline = timeline;
    this.clock = clock;
    this.ancestor = ancestor;
    this.algorithms =
        limits.stream().map(limit -> Algorithm.of(limit, timeline)).toArray(Algorithm[]::new);
    this.leastCapacity = limits.stream().mapToLong(Limit::capacity).min().orElse(0);
    this.countsRejected = Arrays.stream(algorithms).anyMatch(Algorithm::countsRejected);
    this.overflow =
        overflow.stream()
            .map(limit -> new Overflow(Algorithm.of(limit, timeline), overflowBefore(limit)))
            .toArray(Overflow[]::new);
  }

  /** The engine for {@code limits}: without locks where a bucket is one word. */
  static Engine of(
      List<Limit> limits,
      List<Limit> overflow,
      long maxKeys,
      Timeline timeline,
      TimeSource clock,
      @Nullable Engine ancestor) {
    boolean oneWord = limits.size() == 1 && Algorithm.of(limits.get(0), timeline).isOneWord();
    return oneWord
        ? new WordEngine(limits, overflow, maxKeys, timeline, clock, ancestor)
        : new RecordEngine(limits, overflow, maxKeys, timeline, clock, ancestor);
  }

  private @Nullable Overflow overflowBefore(Limit limit) {
    Engine old = ancestor;
    if (old != null) {
      for (Overflow each : old.overflow) {
        if (each.algorithm().limit().sharesBucketsWith(limit)) {
          return each;
        }
      }
    }
    return null;
  }

  /** Different from that of all other engines. */
  final long id() {
    return id;
  }

  final Timeline timeline() {
    return timeline;
  }

  final Algorithm[] algorithms() {
    return algorithms;
  }

  final Overflow overflow(int limit) {
    return overflow[limit];
  }

  /** The most permits that fit at one moment. */
  final long leastCapacity() {
    return leastCapacity;
  }

  /** Whether a refusal leaves a trace with one of the limits. */
  final boolean countsRejected() {
    return countsRejected;
  }

  /** Takes {@code cost} permits, from 1 to the least capacity, of all limits or of none. */
  abstract Outcome tryAcquire(long hash, long time, boolean inMillis, long cost);

  /**
   * The same for a hot key, by the clock; {@link Outcome#RETIRED} if it has no place or another.
   */
  Outcome tryAcquire(HotKey hot, long time, long cost) {
    return tryAcquire(hot.hash(), time, false, cost);
  }

  /** The hot key with its present place, where engines have such. */
  HotKey placed(HotKey hot) {
    return hot;
  }

  /**
   * Does {@code edit} to the buckets of a key in one atomic step; empty-handed if they have moved.
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
   * Sweeps for a request that finds the tables full: a small table at once, a large one by and by.
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
  }

  /** How many requests the overflow buckets have decided. */
  final long overflowed() {
    long most = 0;
    for (Overflow each : overflow) {
      most = Math.max(most, each.uses());
    }
    return most;
  }

  /** How many keys are live, about. */
  abstract long keys();

  /** From now on no key's buckets may be dropped on account of another's time. */
  final void keepAll() {
    keepAll = true;
  }

  final boolean keepsAll() {
    return keepAll;
  }

  /**
   * Cuts a bucket that lies too far in the future, since a clock has been put back. Not where
   * everybody has a time of their own: in a recording times go back and forth, and a bucket that
   * was cut would have filled up again at the later time, and would give everything twice.
   */
  final void mend(Algorithm algorithm, Bucket bucket, long now) {
    if (!keepAll && algorithm.isAstray(bucket, now)) {
      // Or it was not, and who asks has read his clock and been held up since, while others went
      // on.
      algorithm.mend(bucket, Math.max(now, algorithm.at(clock.epochNanos())));
    }
  }

  /** The overflow bucket of a limit, locked for the caller and mended; null if it has retired. */
  final @Nullable Bucket lockOverflow(int limit, Moment moment) {
    Overflow shared = overflow[limit];
    Bucket bucket = shared.lock(moment);
    if (bucket != null) {
      mend(shared.algorithm(), bucket, moment.in(shared.algorithm()));
    }
    return bucket;
  }

  /**
   * Reads the bucket that {@code hash} has under {@code limit} for the last time: it has retired.
   */
  abstract void retire(long hash, int limit, Bucket into);

  /** Retires everything and hands over each key, so that {@code heir} need not ask any more. */
  abstract void retireAll(KeyVisitor heir);

  /** Takes over all keys of the ancestor and forgets it. */
  final void settle(Moment moment) {
    Engine old = ancestor;
    if (old != null) {
      // An edit that changes nothing: what is inherited is written.
      old.retireAll(hash -> edit(hash, moment, (algorithms, buckets, now) -> true));
      for (Overflow each : overflow) {
        each.settle(moment);
      }
      ancestor = null;
    }
  }

  /**
   * What the untouched {@code bucket} starts from: the key's own under the limits before, or a copy
   * of the overflow bucket that it may have shared.
   */
  final void inherit(long hash, int limit, Bucket bucket, Moment moment) {
    Engine old = ancestor;
    if (old != null && old.handDown(hash, algorithms[limit], bucket, moment)) {
      return;
    }
    overflow[limit].handDown(algorithms[limit], bucket, moment);
  }

  /**
   * Whether a key has something spent under the limits before: then it has a right to a place, also
   * where strangers have filled the tables since.
   */
  final boolean hasPast(long hash, int limit, Moment moment) {
    Engine old = ancestor;
    Bucket ignored = new Bucket(algorithms[limit].words());
    return old != null && old.handDown(hash, algorithms[limit], ignored, moment);
  }

  /** Whether a table of {@code keys} has no place for strangers, nor will have after a change. */
  final boolean isFull(long keys) {
    Engine old = ancestor;
    return keys >= maxKeys || (old != null && old.keys() >= maxKeys);
  }

  /** Whether an untouched bucket may start from anything but nothing. */
  final boolean bequeaths(int limit) {
    return ancestor != null || overflow[limit].isActive();
  }

  private boolean handDown(long hash, Algorithm heir, Bucket bucket, Moment moment) {
    for (int i = 0; i < algorithms.length; i++) {
      if (algorithms[i].limit().sharesBucketsWith(heir.limit())) {
        Bucket mine = new Bucket(algorithms[i].words());
        retire(hash, i, mine);
        if (!canForget(algorithms[i], mine, moment)) {
          heir.inherit(bucket, moment.in(heir), algorithms[i], mine);
          return true;
        }
      }
    }
    return false;
  }

  /** Where everybody has a time of their own, only what is new by any time can be forgotten. */
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

  /** Is told of each key that an engine still had. */
  interface KeyVisitor {
    void visit(long hash);
  }

  /** Something done to the buckets of one key, of each limit one. */
  interface Edit<R> {
    R apply(Algorithm[] algorithms, Bucket[] buckets, Moment moment);
  }
}
