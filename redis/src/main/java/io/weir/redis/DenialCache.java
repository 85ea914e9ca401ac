package io.weir.redis;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.memory.KeyHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of refusals by Redis: a refused key is refused locally, without a call, until it could be
 * allowed. Thread-safe.
 *
 * <p>One table of fixed size for all limiters of a store. Its decisions equal those of Redis,
 * except after a refund on another node. Such a decision is outdated by at most the maximum age.
 */
final class DenialCache {
  /*
   * A refusal is valid until the request would fit. Its numbers are valid until any of its limits
   * has more permits, or starts a new window; the first of these ends the entry. That time counts
   * from before the call was sent, so that no caller is refused locally that Redis would allow. The
   * reported waits count from when the reply came, so that no caller retries too early.
   *
   * A key has one place, by its hash, and a later entry replaces an earlier one. A lost entry only
   * costs a call, so there is no list to maintain. Of the key only 128 bits of a keyed hash are
   * kept: callers choose keys, and a full table of long keys would fill the heap. Forgetting a key
   * increments the number of its place: entries and calls with an earlier number are invalid.
   *
   * The table takes a 32nd of the heap at most, at about 512 bytes for a place with one limit:
   *
   *      heap        64 MiB    256 MiB    1 GiB and more
   *      places       4,096     16,384    65,536
   *
   * The table also caches glances: the recent state of a caller that another limit refuses.
   */

  private static final int SHARE_OF_HEAP = 32;
  private static final int PLACE_BYTES = 512;
  private static final int FEWEST_PLACES = 1 << 10;
  private static final int MAX_PLACES = 1 << 16;
  private static final long GLANCE_NANOS = 100_000_000;

  private final KeyHash first = KeyHash.random();
  private final KeyHash second = KeyHash.random();
  private final AtomicReferenceArray<@Nullable Memory> memories;
  private final AtomicIntegerArray numbers;
  private final LongSupplier nanos;
  private final long maxAge;

  /**
   * @param nanos the clock for the age of entries
   * @param maxAge the maximum age of a refusal; zero for no cache
   */
  DenialCache(LongSupplier nanos, Duration maxAge) {
    this(nanos, maxAge, places(Runtime.getRuntime().maxMemory()));
  }

  /**
   * With a table of another size.
   *
   * @param places a power of two
   */
  DenialCache(LongSupplier nanos, Duration maxAge, int places) {
    this.nanos = nanos;
    this.maxAge = maxAge.toNanos();
    this.memories = new AtomicReferenceArray<>(places);
    this.numbers = new AtomicIntegerArray(places);
  }

  /** How many places a heap of so many bytes has room for. */
  static int places(long heap) {
    long places = Long.highestOneBit(Math.max(1, heap / SHARE_OF_HEAP / PLACE_BYTES));
    return (int) Math.max(FEWEST_PLACES, Math.min(MAX_PLACES, places));
  }

  /** The cached refusal of {@code cost}; null if there is none. */
  @Nullable Decision refusal(ScriptPlan scriptPlan, String key, long cost) {
    Memory memory = memory(scriptPlan, key, cost);
    return memory == null || memory.decision.allowed() ? null : memory.refusal(nanos.getAsLong());
  }

  /** The cached recent state of the caller; null if there is none. */
  @Nullable Decision glance(ScriptPlan scriptPlan, String key, long cost) {
    Memory memory = memory(scriptPlan, key, cost);
    return memory == null || nanos.getAsLong() - memory.requestedNanos > GLANCE_NANOS
        ? null
        : memory.decision;
  }

  private @Nullable Memory memory(ScriptPlan scriptPlan, String key, long cost) {
    long hash = first.of(key);
    int place = place(scriptPlan, hash);
    Memory memory = memories.get(place);
    boolean isIts =
        memory != null
            && memory.scriptPlan == scriptPlan
            && memory.cost == cost
            && memory.hash == hash
            && memory.number == numbers.get(place)
            && nanos.getAsLong() - memory.requestedNanos <= maxAge
            && memory.otherHash == second.of(key);
    return isIts ? memory : null;
  }

  /** Must be called before Redis is called; the result is passed to {@link #remember}. */
  RequestTime requestTime(ScriptPlan scriptPlan, String key) {
    return new RequestTime(numbers.get(place(scriptPlan, key)), nanos.getAsLong());
  }

  /** Caches a refusal by Redis. */
  void remember(
      ScriptPlan scriptPlan,
      String key,
      RequestTime requestTime,
      Decision decision,
      long epochMicros) {
    if (maxAge > 0 && scriptPlan.isPlain() && !decision.neverFits()) {
      long hash = first.of(key);
      memories.set(
          place(scriptPlan, hash),
          new Memory(
              scriptPlan,
              hash,
              second.of(key),
              decision.cost(),
              requestTime.number,
              requestTime.nanos,
              nanos.getAsLong(),
              epochMicros,
              decision));
    }
  }

  /** Forgets a key, including replies that are still to come. */
  void forget(ScriptPlan scriptPlan, String key) {
    numbers.incrementAndGet(place(scriptPlan, key));
  }

  /** {@link #forget}, but keeps the reply to the call of {@code requestTime}. */
  RequestTime forget(ScriptPlan scriptPlan, String key, RequestTime requestTime) {
    int place = place(scriptPlan, key);
    boolean isLast = numbers.compareAndSet(place, requestTime.number, requestTime.number + 1);
    if (!isLast) {
      numbers.incrementAndGet(place);
    }
    return isLast ? new RequestTime(requestTime.number + 1, requestTime.nanos) : requestTime;
  }

  private int place(ScriptPlan scriptPlan, String key) {
    return place(scriptPlan, first.of(key));
  }

  private int place(ScriptPlan scriptPlan, long keyHash) {
    int hash = (Long.hashCode(keyHash) ^ System.identityHashCode(scriptPlan)) * 0x9E3779B9;
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(memories.length());
  }

  /** When Redis was called. */
  record RequestTime(int number, long nanos) {}

  private record Memory(
      ScriptPlan scriptPlan,
      long hash,
      long otherHash,
      long cost,
      int number,
      long requestedNanos,
      long repliedNanos,
      long epochMicros,
      Decision decision) {
    /**
     * The refusal as of {@code nanos}; null if the caller might be allowed, or have more, by then.
     */
    @Nullable Decision refusal(long nanos) {
      long sinceRequest = (nanos - requestedNanos) / 1000;
      long sinceReply = (nanos - repliedNanos) / 1000;
      if (sinceReply < 0) {
        return null; // the clock went back
      }
      List<LimitStatus> statuses = new ArrayList<>(decision.standings().size());
      for (LimitStatus limitStatus : decision.standings()) {
        long tick = limitStatus.limit().tick().toNanos();
        long wait = limitStatus.retryAfter().map(Duration::toNanos).orElse(0L);
        long growth = limitStatus.growsAfter().map(Duration::toNanos).orElse(0L);
        long reset = limitStatus.resetAfter().toNanos();
        long passed = passed(sinceRequest, tick);
        if (isOver(wait, passed) || isOver(growth, passed) || isOver(reset, passed)) {
          return null;
        }
        long elapsed = passed(sinceReply, tick);
        statuses.add(
            LimitStatus.of(
                limitStatus.limit(),
                limitStatus.remaining(),
                wait == 0 ? 0 : wait - elapsed,
                growth == 0 ? 0 : growth - elapsed,
                reset == 0 ? 0 : reset - elapsed));
      }
      long now = Math.floorDiv(epochMicros + sinceReply, 1000L);
      return Decision.of(cost, Duration.ZERO, statuses, now, Origin.CACHE);
    }

    private static boolean isOver(long span, long passed) {
      return span > 0 && passed >= span;
    }

    /** How far Redis's clock is ahead of the reply's time, in whole ticks, in nanoseconds. */
    private long passed(long micros, long tick) {
      long microsPerTick = tick / 1000;
      long then = Math.floorDiv(epochMicros, microsPerTick);
      return (Math.floorDiv(epochMicros + micros, microsPerTick) - then) * tick;
    }
  }
}
