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
  private Store.Blueprint blueprint;
  private TimeSource time;
  private long overflowedBefore;
  private volatile @Nullable Engine engine;
  private volatile long lastSweep;
  private volatile boolean givenTimes;
  private volatile boolean isShared; // with limits of any size, so that the table has room for all
  private volatile long latestGiven = Long.MIN_VALUE;

  MemoryBuckets(Store.Blueprint blueprint) {
    this(blueprint, blueprint.time());
  }

  MemoryBuckets(Store.Blueprint blueprint, TimeSource time) {
    this(blueprint, time, TableMemory.SHARED);
  }

  MemoryBuckets(Store.Blueprint blueprint, TimeSource time, TableMemory memory) {
    this.blueprint = blueprint;
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
    Engine current = engine;
    if (current != null && cost > 0 && cost <= current.leastCapacity()) {
      Engine.Outcome outcome = current.tryAcquire(hot, now, cost);
      if (outcome != Engine.Outcome.RETIRED) {
        if (isTimeToSweep(now)) {
          sweep(now);
        }
        return outcome == Engine.Outcome.ALLOWED;
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
      Engine current = engine(now, inMillis);
      if (cost == 0 || cost > current.leastCapacity()) {
        return cost == 0;
      }
      Engine.Outcome outcome = current.tryAcquire(hash, now, inMillis, cost);
      if (outcome != Engine.Outcome.RETIRED) {
        if (!inMillis && isTimeToSweep(now)) {
          sweep(now);
        }
        return outcome == Engine.Outcome.ALLOWED;
      }
    }
  }

  @Override
  public Decision check(String key, long cost) {
    return edit(key, now(), Verbs.check(cost));
  }

  @Override
  public Decision checkAt(String key, long cost, long epochMillis) {
    noteGivenTime(epochMillis);
    Decision decision = edit(key, Moment.ofMillis(epochMillis), Verbs.check(cost));
    noteLatest(epochMillis);
    return decision;
  }

  @Override
  public Decision peek(String key, long cost) {
    return edit(key, now(), Verbs.peek(cost));
  }

  @Override
  public boolean has(String key, long cost) {
    return edit(key, now(), Verbs.has(cost));
  }

  @Override
  public Receipt take(String key, long cost) {
    return edit(key, now(), Verbs.take(key, cost));
  }

  @Override
  public Receipt reserve(String key, long cost, Duration longestWait) {
    long longest =
        longestWait.compareTo(Limit.MAX_PERIOD) < 0
            ? longestWait.toNanos()
            : Limit.MAX_PERIOD.toNanos();
    return edit(key, now(), Verbs.reserve(key, cost, longest));
  }

  @Override
  public void charge(String key, long cost) {
    long now = time.epochNanos();
    boolean taken = !engine(now, false).countsRejected() && tryAcquire(key, cost, now);
    if (!taken) {
      edit(key, Moment.ofNanos(now), Verbs.charge(cost));
    }
  }

  @Override
  public void force(String key, long... costs) {
    edit(key, now(), Verbs.force(costs));
  }

  @Override
  public void chargeInFull(String key, long cost) {
    edit(key, now(), Verbs.chargeInFull(cost));
  }

  @Override
  public void settle(Receipt receipt, long actualCost) {
    Verbs.MemoryReceipt ours = (Verbs.MemoryReceipt) receipt;
    if (receipt.decision().allowed() && receipt.decision().cost() != actualCost) {
      edit(ours.key(), now(), Verbs.settle(ours, actualCost));
    }
  }

  @Override
  public void reject(String key, long cost) {
    edit(key, now(), Verbs.reject(cost));
  }

  @Override
  public void refund(String key, long permits) {
    edit(key, now(), Verbs.refund(permits));
  }

  @Override
  public void reset(String key) {
    edit(key, now(), Verbs.reset());
  }

  <R> R edit(String key, Engine.Edit<R> edit) {
    return edit(key, now(), edit);
  }

  private <R> R edit(String key, Moment moment, Engine.Edit<R> edit) {
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
    Engine current = engine;
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
  private void moveOn(Engine current, Moment moment) {
    if (!changing.tryLock()) {
      return;
    }
    try {
      if (current != engine || givenTimes) {
        return;
      }
      if (!current.isSettled()) {
        current.settleSome(SLOTS_AT_ONCE, moment);
      } else if (!isShared && current.lookOn(moment) && current.hasLookedAtAll()) {
        overflowedBefore += current.overflowed();
        engine = current.narrowed(moment);
      }
    } finally {
      changing.unlock();
    }
  }

  /** The engine; the first moment seen becomes the middle of its timeline. */
  private Engine engine(long now, boolean inMillis) {
    Engine current = engine;
    return current != null ? current : start(new Moment(now, inMillis));
  }

  private Engine start(Moment moment) {
    changing.lock();
    try {
      Engine current = engine;
      if (current == null) {
        Timeline timeline =
            time.isSharedByKeys() ? new Timeline(moment.epochMillis()) : Timeline.ofRecording();
        current =
            Engine.of(
                blueprint.limits(),
                blueprint.overflow(),
                blueprint.maxKeys(),
                memory,
                timeline,
                time,
                null,
                Moment.ofNanos(0),
                room());
        if (givenTimes) {
          current.keepAll();
        }
        engine = current;
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
  public Runnable reconfigure(Store.Blueprint changed) {
    changing.lock();
    try {
      return change(changed);
    } finally {
      changing.unlock();
    }
  }

  @Override
  public Buckets under(Store.Blueprint other) {
    changing.lock();
    try {
      if (!isShared) {
        isShared = true;
        Engine old = engine;
        if (old != null) {
          succeed(old, blueprint); // keys follow when requests arrive, and in sweeps
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

  private Runnable change(Store.Blueprint changed) {
    if (changed.consistency() == Consistency.STRICT) {
      time = time.steady();
    }
    Engine old = engine;
    if (old == null || isTheSame(changed)) {
      blueprint = changed;
      return () -> {};
    }
    Engine heir = succeed(old, changed);
    return () -> settle(heir);
  }

  private Engine succeed(Engine old, Store.Blueprint changed) {
    Moment moment = settlingMoment(old); // read before anything is changed: the clock may fail
    old.settle(moment);
    Engine heir =
        Engine.of(
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
    blueprint = changed;
    overflowedBefore += old.overflowed();
    engine = heir;
    return heir;
  }

  private boolean isTheSame(Store.Blueprint changed) {
    return changed.limits().equals(blueprint.limits())
        && changed.overflow().equals(blueprint.overflow())
        && changed.maxKeys() == blueprint.maxKeys()
        && changed.consistency() == blueprint.consistency();
  }

  private void settle(Engine heir) {
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
  private Moment settlingMoment(Engine engine) {
    if (!givenTimes || !time.isSharedByKeys()) {
      return now();
    }
    long latest = latestGiven;
    return Moment.ofMillis(latest == Long.MIN_VALUE ? engine.timeline().lastEpochMillis() : latest);
  }

  @Override
  public long keys() {
    Engine current = engine;
    return current == null ? 0 : current.keys();
  }

  @Override
  public long overflowed() {
    changing.lock();
    try {
      Engine current = engine;
      return overflowedBefore + (current == null ? 0 : current.overflowed());
    } finally {
      changing.unlock();
    }
  }
}
