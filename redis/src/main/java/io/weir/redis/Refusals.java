package io.weir.redis;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of refusals by Redis: a refused caller is refused here, without a call, until it could be
 * allowed. Thread-safe.
 *
 * <p>One table of fixed size for all limiters of a store. Its answers equal those of Redis, except
 * after a refund on another node. Such an answer is outdated by at most the maximum cache time.
 */
final class Refusals {
  /*
   * A refusal is valid until the request would fit. Its numbers are valid until any of its limits
   * has more permits, or starts a new window; the first of these ends the entry. That time counts
   * from before the call was sent, so that no caller is refused here that Redis would allow. The
   * reported waits count from when the answer came, so that no caller retries too early.
   *
   * A key has one place, by its hash, and a later entry replaces an earlier one. A lost entry only
   * costs a call, so there is no list to maintain. Very long keys are not cached, because callers
   * choose them and could fill the memory. Forgetting a key increments the number of its place:
   * entries and calls with an earlier number are invalid.
   *
   * The table also caches glances: the recent state of a caller that another limit refuses.
   */

  private static final int PLACES = 1 << 16;
  private static final int LONGEST_KEY = 1024;
  private static final long GLANCE_NANOS = 100_000_000;

  private final AtomicReferenceArray<@Nullable Memory> memories =
      new AtomicReferenceArray<>(PLACES);
  private final AtomicIntegerArray numbers = new AtomicIntegerArray(PLACES);
  private final LongSupplier nanos;
  private final long longest;

  /**
   * @param nanos the clock for the age of entries
   * @param longest the maximum age of a refusal; zero for no cache
   */
  Refusals(LongSupplier nanos, Duration longest) {
    this.nanos = nanos;
    this.longest = longest.toNanos();
  }

  /** The cached refusal of {@code cost}; null if there is none. */
  @Nullable Decision refusal(Plan plan, String key, long cost) {
    Memory memory = memory(plan, key, cost);
    return memory == null || memory.decision.allowed() ? null : memory.refusal(nanos.getAsLong());
  }

  /** The cached recent state of the caller; null if there is none. */
  @Nullable Decision glance(Plan plan, String key, long cost) {
    Memory memory = memory(plan, key, cost);
    return memory == null || nanos.getAsLong() - memory.asked > GLANCE_NANOS
        ? null
        : memory.decision;
  }

  private @Nullable Memory memory(Plan plan, String key, long cost) {
    int place = place(plan, key);
    Memory memory = memories.get(place);
    boolean isIts =
        memory != null
            && memory.plan == plan
            && memory.cost == cost
            && memory.key.equals(key)
            && memory.number == numbers.get(place)
            && nanos.getAsLong() - memory.asked <= longest;
    return isIts ? memory : null;
  }

  /** Must be called before Redis is called; the result is passed to {@link #remember}. */
  Asked ask(Plan plan, String key) {
    return new Asked(numbers.get(place(plan, key)), nanos.getAsLong());
  }

  /** Caches an answer of Redis. */
  void remember(Plan plan, String key, Asked asked, Decision decision, long epochMicros) {
    boolean isWorthIt = key.length() <= LONGEST_KEY && plan.isPlain() && !decision.neverFits();
    if (longest > 0 && isWorthIt) {
      memories.set(
          place(plan, key),
          new Memory(
              plan,
              key,
              decision.cost(),
              asked.number,
              asked.nanos,
              nanos.getAsLong(),
              epochMicros,
              decision));
    }
  }

  /** Forgets a key, including answers that are still to come. */
  void forget(Plan plan, String key) {
    numbers.incrementAndGet(place(plan, key));
  }

  /** {@link #forget}, but keeps the answer to the call {@code asked}. */
  Asked forget(Plan plan, String key, Asked asked) {
    int place = place(plan, key);
    boolean isLast = numbers.compareAndSet(place, asked.number, asked.number + 1);
    if (!isLast) {
      numbers.incrementAndGet(place);
    }
    return isLast ? new Asked(asked.number + 1, asked.nanos) : asked;
  }

  private static int place(Plan plan, String key) {
    int hash = (key.hashCode() ^ System.identityHashCode(plan)) * 0x9E3779B9;
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(PLACES);
  }

  /** When Redis was called. */
  record Asked(int number, long nanos) {}

  private record Memory(
      Plan plan,
      String key,
      long cost,
      int number,
      long asked,
      long answered,
      long epochMicros,
      Decision decision) {
    /**
     * The refusal as of {@code nanos}; null if the caller might be allowed, or have more, by then.
     */
    @Nullable Decision refusal(long nanos) {
      long sinceAsked = (nanos - asked) / 1000;
      long sinceAnswered = (nanos - answered) / 1000;
      if (sinceAnswered < 0) {
        return null; // the clock went back
      }
      List<Standing> standings = new ArrayList<>(decision.standings().size());
      for (Standing standing : decision.standings()) {
        long tick = standing.limit().tick().toNanos();
        long wait = standing.retryAfter().map(Duration::toNanos).orElse(0L);
        long growth = standing.growsAfter().map(Duration::toNanos).orElse(0L);
        long reset = standing.resetAfter().toNanos();
        long passed = passed(sinceAsked, tick);
        if (isOver(wait, passed) || isOver(growth, passed) || isOver(reset, passed)) {
          return null;
        }
        long told = passed(sinceAnswered, tick);
        standings.add(
            Standing.of(
                standing.limit(),
                standing.remaining(),
                wait == 0 ? 0 : wait - told,
                growth == 0 ? 0 : growth - told,
                reset == 0 ? 0 : reset - told));
      }
      long now = Math.floorDiv(epochMicros + sinceAnswered, 1000L);
      return Decision.of(cost, Duration.ZERO, standings, now, Origin.CACHE);
    }

    private static boolean isOver(long span, long passed) {
      return span > 0 && passed >= span;
    }

    /** How far Redis's clock is ahead of the answer's time, in whole ticks, in nanoseconds. */
    private long passed(long micros, long tick) {
      long microsPerTick = tick / 1000;
      long then = Math.floorDiv(epochMicros, microsPerTick);
      return (Math.floorDiv(epochMicros + micros, microsPerTick) - then) * tick;
    }
  }
}
