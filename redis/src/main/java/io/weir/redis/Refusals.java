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
   * A key has one place, found by its hash; who comes later takes it over. Losing a memory costs a
   * call, nothing else, so there is no list to keep. Nor are very long keys remembered: callers choose
   * them, and a full table of those would fill the memory. To forget a key is to step the number of its
   * place: what was remembered, or asked, under an earlier number does not count.
   *
   * The same table remembers glances: how somebody stood a moment ago whom another limit refuses.
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
   * @param nanos the clock by which memories age
   * @param longest the most that a refusal is remembered; zero for not at all
   */
  Refusals(LongSupplier nanos, Duration longest) {
    this.nanos = nanos;
    this.longest = longest.toNanos();
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

  /** To be called before Redis is asked, and given to {@link #remember}. */
  Asked ask(Plan plan, String key) {
    return new Asked(numbers.get(place(plan, key)), nanos.getAsLong());
  }

  /** Remembers what Redis has just answered. */
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

  private static int place(Plan plan, String key) {
    int hash = (key.hashCode() ^ System.identityHashCode(plan)) * 0x9E3779B9;
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(PLACES);
  }

  /** When Redis was asked. */
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
