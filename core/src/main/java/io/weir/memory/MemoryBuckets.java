package io.weir.memory;

import io.weir.Buckets;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.algorithm.Timeline;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The buckets of one limiter in memory. Thread-safe; never blocks for long. */
final class MemoryBuckets implements Buckets {
  private static final long NANOS_BETWEEN_SWEEPS = 1_000_000;
  private static final int SLOTS_AT_ONCE = 128;

  private final HotKeys keys = new HotKeys(KeyHash.shared());
  private final ReentrantLock changing = new ReentrantLock();
  private final TableMemory memory;
  private Store.LimiterSpec limiterSpec;
  private TimeSource time;
  private long overflowedBefore;
  private volatile @Nullable TableEngine tableEngine;
  private volatile long lastSweep;
  private volatile boolean givenTimes;
  private volatile boolean isShared; // with limits of any size, so that the table has room for all
  private volatile long latestGiven = Long.MIN_VALUE;

  MemoryBuckets(Store.LimiterSpec limiterSpec) {
    this(limiterSpec, limiterSpec.time());
  }

  MemoryBuckets(Store.LimiterSpec limiterSpec, TimeSource time) {
    this(limiterSpec, time, TableMemory.SHARED);
  }

  MemoryBuckets(Store.LimiterSpec limiterSpec, TimeSource time, TableMemory memory) {
    this.limiterSpec = limiterSpec;
    this.time = time;
    this.memory = memory;
    this.givenTimes = !time.isSharedByKeys();
  }

  @Override
  public boolean tryAcquire(String key, long cost) {
    return tryAcquire(key, cost, time.epochNanos());
  }

  private boolean tryAcquire(String key, long cost, long now) {
    HotKey hot = keys.find(key, now);
    return hot == null
        ? tryAcquire(keys.hash(key, now), now, false, cost)
        : tryAcquire(hot, now, cost);
  }

  @Override
  public boolean tryAcquireAt(String key, long cost, long epochMillis) {
    noteGivenTime(epochMillis);
    boolean allowed = tryAcquire(hash(key, epochMillis), epochMillis, true, cost);
    noteLatest(epochMillis);
    return allowed;
  }

  private long hash(String key, long dice) {
    HotKey hot = keys.find(key, dice);
    return hot == null ? keys.hash(key, dice) : hot.hash();
  }

  private boolean tryAcquire(HotKey hot, long now, long cost) {
    TableEngine current = tableEngine;
    if (current != null && cost > 0 && cost <= current.minCapacity()) {
      TableEngine.Outcome outcome = current.tryAcquire(hot, now, cost);
      if (outcome != TableEngine.Outcome.RETIRED) {
        if (isTimeToSweep(now)) {
          sweep(now);
        }
        return outcome == TableEngine.Outcome.ALLOWED;
      }
      HotKey placed = current.placed(hot);
      if (placed != hot) {
        keys.replace(placed);
      }
    }
    return tryAcquire(hot.hash(), now, false, cost);
  }

  private boolean tryAcquire(long hash, long now, boolean inMillis, long cost) {
    while (true) {
      TableEngine current = engine(now, inMillis);
      if (cost == 0 || cost > current.minCapacity()) {
        return cost == 0;
      }
      TableEngine.Outcome outcome = current.tryAcquire(hash, now, inMillis, cost);
      if (outcome != TableEngine.Outcome.RETIRED) {
        if (!inMillis && isTimeToSweep(now)) {
          sweep(now);
        }
        return outcome == TableEngine.Outcome.ALLOWED;
      }
    }
  }

  @Override
  public Decision check(String key, long cost) {
    return edit(key, now(), BucketOperations.check(cost));
  }

  @Override
  public Decision checkAt(String key, long cost, long epochMillis) {
    noteGivenTime(epochMillis);
    Decision decision = edit(key, Moment.ofMillis(epochMillis), BucketOperations.check(cost));
    noteLatest(epochMillis);
    return decision;
  }

  @Override
  public Decision peek(String key, long cost) {
    return edit(key, now(), BucketOperations.peek(cost));
  }

  @Override
  public boolean has(String key, long cost) {
    return edit(key, now(), BucketOperations.has(cost));
  }

  @Override
  public Receipt take(String key, long cost) {
    return edit(key, now(), BucketOperations.take(key, cost));
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    long maxWaitNanos =
        longestWait.compareTo(Limit.MAX_PERIOD) < 0
            ? longestWait.toNanos()
            : Limit.MAX_PERIOD.toNanos();
    return edit(key, now(), BucketOperations.reserve(key, cost, maxWaitNanos));
  }

  @Override
  public void charge(String key, long cost) {
    long now = time.epochNanos();
    boolean taken = !engine(now, false).countsRejected() && tryAcquire(key, cost, now);
    if (!taken) {
      edit(key, Moment.ofNanos(now), BucketOperations.charge(cost));
    }
  }

  @Override
  public void force(String key, long... costs) {
    edit(key, now(), BucketOperations.force(costs));
  }

  @Override
  public void chargeInFull(String key, long cost) {
    edit(key, now(), BucketOperations.chargeInFull(cost));
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    BucketOperations.MemoryReceipt ours = (BucketOperations.MemoryReceipt) receipt;
    if (receipt.decision().allowed() && receipt.decision().cost() != actualCost) {
      edit(ours.key(), now(), BucketOperations.settle(ours, actualCost));
    }
  }

  @Override
  public void reject(String key, long cost) {
    edit(key, now(), BucketOperations.reject(cost));
  }

  @Override
  public void refund(String key, long permits) {
    edit(key, now(), BucketOperations.refund(permits));
  }

  @Override
  public void reset(String key) {
    edit(key, now(), BucketOperations.reset());
  }

  <R> R edit(String key, TableEngine.Edit<R> edit) {
    return edit(key, now(), edit);
  }

  private <R> R edit(String key, Moment moment, TableEngine.Edit<R> edit) {
    long hash = hash(key, moment.time());
    while (true) {
      R result = engine(moment.time(), moment.inMillis()).edit(hash, moment, edit);
      if (result != null) {
        if (!moment.inMillis() && isTimeToSweep(moment.time())) {
          sweep(moment.time());
        }
        return result;
      }
    }
  }

  private Moment now() {
    return Moment.ofNanos(time.epochNanos());
  }

  /**
   * Whether a millisecond has passed since the last sweep, or the clock has gone back. Never with
   * times given by callers: no key can be dropped then, and each request may be at another moment.
   */
  private boolean isTimeToSweep(long now) {
    return Long.compareUnsigned(now - lastSweep, NANOS_BETWEEN_SWEEPS) >= 0 && !givenTimes;
  }

  /** Sweeps one page each millisecond as part of a request: no separate thread, and no pause. */
  private void sweep(long now) {
    lastSweep = now;
    TableEngine current = tableEngine;
    if (current != null) {
      current.sweep(now, false);
      if (memory.isScarce()) {
        current.sweepAnother();
      }
      if ((current.isWide() && !isShared) || !current.isSettled()) {
        moveOn(current, Moment.ofNanos(now));
      }
    }
  }

  /**
   * One step towards a table with no more room than its limits need: takes over some keys of the
   * previous limits, or checks a page of those that may need more. Does nothing while limits are
   * being changed.
   */
  private void moveOn(TableEngine current, Moment moment) {
    if (!changing.tryLock()) {
      return;
    }
    try {
      if (current != tableEngine || givenTimes) {
        return;
      }
      if (!current.isSettled()) {
        current.settleSome(SLOTS_AT_ONCE, moment);
      } else if (!isShared && current.lookOn(moment) && current.hasLookedAtAll()) {
        overflowedBefore += current.overflowed();
        tableEngine = current.narrowed(moment);
      }
    } finally {
      changing.unlock();
    }
  }

  /** The engine; the first moment seen becomes the middle of its timeline. */
  private TableEngine engine(long now, boolean inMillis) {
    TableEngine current = tableEngine;
    return current != null ? current : start(new Moment(now, inMillis));
  }

  private TableEngine start(Moment moment) {
    changing.lock();
    try {
      TableEngine current = tableEngine;
      if (current == null) {
        Timeline timeline =
            time.isSharedByKeys() ? new Timeline(moment.epochMillis()) : Timeline.ofRecording();
        current =
            TableEngine.of(
                limiterSpec.limits(),
                limiterSpec.overflow(),
                limiterSpec.maxKeys(),
                memory,
                timeline,
                time,
                null,
                Moment.ofNanos(0),
                room());
        if (givenTimes) {
          current.keepAll();
        }
        tableEngine = current;
      }
      return current;
    } finally {
      changing.unlock();
    }
  }

  /** From now on no key is dropped, because a time given for one user does not apply to others. */
  private void noteGivenTime(long epochMillis) {
    if (!givenTimes) {
      changing.lock();
      try {
        givenTimes = true;
        engine(epochMillis, true).keepAll();
      } finally {
        changing.unlock();
      }
    }
  }

  private void noteLatest(long epochMillis) {
    if (epochMillis > latestGiven) {
      latestGiven = epochMillis; // or another thread's, somewhat earlier
    }
  }

  @Override
  public Runnable reconfigure(Store.LimiterSpec changed) {
    changing.lock();
    try {
      return change(changed);
    } finally {
      changing.unlock();
    }
  }

  @Override
  public Buckets under(Store.LimiterSpec other) {
    changing.lock();
    try {
      if (!isShared) {
        isShared = true;
        TableEngine old = tableEngine;
        if (old != null) {
          succeed(old, limiterSpec); // keys follow when requests arrive, and in sweeps
        }
      }
    } finally {
      changing.unlock();
    }
    return new SharedBuckets(this, other.limits());
  }

  private long room() {
    return isShared ? Limit.MAX_PERMITS : 0;
  }

  Timeline timeline(Moment moment) {
    return engine(moment.time(), moment.inMillis()).timeline();
  }

  private Runnable change(Store.LimiterSpec changed) {
    if (changed.consistency() == Consistency.STRICT) {
      time = time.steady();
    }
    TableEngine old = tableEngine;
    if (old == null || isTheSame(changed)) {
      limiterSpec = changed;
      return () -> {};
    }
    TableEngine heir = succeed(old, changed);
    return () -> settle(heir);
  }

  private TableEngine succeed(TableEngine old, Store.LimiterSpec changed) {
    Moment moment = settlingMoment(old); // read before anything is changed: the clock may fail
    old.settle(moment);
    TableEngine heir =
        TableEngine.of(
            changed.limits(),
            changed.overflow(),
            changed.maxKeys(),
            memory,
            old.timeline(),
            time,
            old,
            moment,
            room());
    if (givenTimes) {
      heir.keepAll();
    }
    limiterSpec = changed;
    overflowedBefore += old.overflowed();
    tableEngine = heir;
    return heir;
  }

  private boolean isTheSame(Store.LimiterSpec changed) {
    return changed.limits().equals(limiterSpec.limits())
        && changed.overflow().equals(limiterSpec.overflow())
        && changed.maxKeys() == limiterSpec.maxKeys()
        && changed.consistency() == limiterSpec.consistency();
  }

  private void settle(TableEngine heir) {
    changing.lock();
    try {
      heir.settle(settlingMoment(heir));
    } finally {
      changing.unlock();
    }
  }

  /**
   * The present. Where callers give times, the latest that was given: a bucket with no debt beyond
   * it is taken over as it is.
   */
  private Moment settlingMoment(TableEngine tableEngine) {
    if (!givenTimes || !time.isSharedByKeys()) {
      return now();
    }
    long latest = latestGiven;
    return Moment.ofMillis(
        latest == Long.MIN_VALUE ? tableEngine.timeline().lastEpochMillis() : latest);
  }

  @Override
  public long keys() {
    TableEngine current = tableEngine;
    return current == null ? 0 : current.keys();
  }

  @Override
  public long overflowed() {
    changing.lock();
    try {
      TableEngine current = tableEngine;
      return overflowedBefore + (current == null ? 0 : current.overflowed());
    } finally {
      changing.unlock();
    }
  }
}
