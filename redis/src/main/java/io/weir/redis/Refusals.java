package io.weir.redis;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.memory.KeyHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What this process remembers of Redis: a caller that was refused is refused here, without asking,
 * until it could be allowed.
 *
 * <p>One table for all limiters of a store, of fixed size. An answer out of it is equal to what
 * Redis would have said, unless somebody gave something back on another node: then it is late by
 * the longest memory at most.
 */
final class Refusals {
  /*
   * A refusal holds until the request would fit, and its numbers hold until any of its limits has
   * more to give, or begins anew: whatever comes first ends it. That is counted from before the call was sent, so
   * that nobody is refused here who would be allowed there. The waits that are told are counted from
   * when the answer came, so that nobody comes back too early.
   *
   * A key has one place, found by its hash; a later key takes it over. Losing a memory costs a call,
   * nothing else, so there is no list to keep. Of the key only 128 bits of a keyed hash are kept:
   * callers choose keys, and a full table of long ones would fill the heap. To forget a key is to step
   * the number of its place: what was remembered, or asked, under an earlier number does not count.
   *
   * The table takes a 32nd of the heap at most, at about 512 bytes for a place with one limit:
   *
   *      heap        64 MiB    256 MiB    1 GiB and more
   *      places       4,096     16,384    65,536
   *
   * The same table remembers glances: how somebody stood a moment ago whom another limit refuses.
   */

  private static final int SHARE_OF_HEAP = 32;
  private static final int PLACE_BYTES = 512;
  private static final int FEWEST_PLACES = 1 << 10;
  private static final int MOST_PLACES = 1 << 16;
  private static final long GLANCE_NANOS = 100_000_000;

  private final KeyHash first = KeyHash.random();
  private final KeyHash second = KeyHash.random();
  private final AtomicReferenceArray<@Nullable Memory> memories;
  private final AtomicIntegerArray numbers;
  private final LongSupplier nanos;
  private final long longest;

  /**
   * @param nanos the clock by which memories age
   * @param longest the most that a refusal is remembered; zero for not at all
   */
  Refusals(LongSupplier nanos, Duration longest) {
    this(nanos, longest, places(Runtime.getRuntime().maxMemory()));
  }

  /**
   * With a table of another size.
   *
   * @param places a power of two
   */
  Refusals(LongSupplier nanos, Duration longest, int places) {
    this.nanos = nanos;
    this.longest = longest.toNanos();
    this.memories = new AtomicReferenceArray<>(places);
    this.numbers = new AtomicIntegerArray(places);
  }

  /** How many places a heap of so many bytes has room for. */
  static int places(long heap) {
    long places = Long.highestOneBit(Math.max(1, heap / SHARE_OF_HEAP / PLACE_BYTES));
    return (int) Math.max(FEWEST_PLACES, Math.min(MOST_PLACES, places));
  }

  /** The refusal that {@code cost} would meet, if it is known. */
  @Nullable Decision refusal(Plan plan, String key, long cost) {
    Memory memory = memory(plan, key, cost);
    return memory == null || memory.decision.allowed() ? null : memory.refusal(nanos.getAsLong());
  }

  /** How the caller stood a moment ago, if it is known. */
  @Nullable Decision glance(Plan plan, String key, long cost) {
    Memory memory = memory(plan, key, cost);
    return memory == null || nanos.getAsLong() - memory.asked > GLANCE_NANOS
        ? null
        : memory.decision;
  }

  private @Nullable Memory memory(Plan plan, String key, long cost) {
    long hash = first.of(key);
    int place = place(plan, hash);
    Memory memory = memories.get(place);
    boolean isIts =
        memory != null
            && memory.plan == plan
            && memory.cost == cost
            && memory.hash == hash
            && memory.number == numbers.get(place)
            && nanos.getAsLong() - memory.asked <= longest
            && memory.otherHash == second.of(key);
    return isIts ? memory : null;
  }

  /** To be called before Redis is asked, and given to {@link #remember}. */
  Asked ask(Plan plan, String key) {
    return new Asked(numbers.get(place(plan, key)), nanos.getAsLong());
  }

  /** Remembers what Redis has just answered. */
  void remember(Plan plan, String key, Asked asked, Decision decision, long epochMicros) {
    if (longest > 0 && plan.isPlain() && !decision.neverFits()) {
      long hash = first.of(key);
      memories.set(
          place(plan, hash),
          new Memory(
              plan,
              hash,
              second.of(key),
              decision.cost(),
              asked.number,
              asked.nanos,
              nanos.getAsLong(),
              epochMicros,
              decision));
    }
  }

  /** Forgets what is known of a key, and what was asked about it and is not answered yet. */
  void forget(Plan plan, String key) {
    numbers.incrementAndGet(place(plan, key));
  }

  /** {@link #forget}, but for what is known by a question that was {@code asked} before. */
  Asked forget(Plan plan, String key, Asked asked) {
    int place = place(plan, key);
    boolean isLast = numbers.compareAndSet(place, asked.number, asked.number + 1);
    if (!isLast) {
      numbers.incrementAndGet(place);
    }
    return isLast ? new Asked(asked.number + 1, asked.nanos) : asked;
  }

  private int place(Plan plan, String key) {
    return place(plan, first.of(key));
  }

  private int place(Plan plan, long keyHash) {
    int hash = (Long.hashCode(keyHash) ^ System.identityHashCode(plan)) * 0x9E3779B9;
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(memories.length());
  }

  /** When Redis was asked. */
  record Asked(int number, long nanos) {}

  private record Memory(
      Plan plan,
      long hash,
      long otherHash,
      long cost,
      int number,
      long asked,
      long answered,
      long epochMicros,
      Decision decision) {
    /** As of {@code nanos}; null if the caller might be allowed, or have more, by then. */
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

    /** Nanoseconds in whole ticks by which Redis's clock is ahead of the answer's time. */
    private long passed(long micros, long tick) {
      long microsPerTick = tick / 1000;
      long then = Math.floorDiv(epochMicros, microsPerTick);
      return (Math.floorDiv(epochMicros + micros, microsPerTick) - then) * tick;
    }
  }
}
