package io.weir.bench.contender;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The lower bound: a keyed check with nothing but the necessary work. A bare array of (hash, time)
 * pairs with linear probing and compare-and-set; no rules, no eviction, no growth.
 */
final class CasTableLimiter implements KeyedLimiter {
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
  private static final double LOAD = 0.8;

  private final KeyHash hash;
  private final Clock clock;
  private final long interval;
  private final long capacity;
  private final int slots;
  private final long[] table;

  CasTableLimiter(CaseLimit caseLimit, int keys, KeyHash hash, Clock clock) {
    this.hash = hash;
    this.clock = clock;
    interval = caseLimit.intervalMillis();
    capacity = caseLimit.burst() * interval;
    slots = (int) Math.ceil(keys / LOAD) + 1;
    table = new long[2 * slots];
  }

  @Override
  public boolean tryAcquire(String key) {
    long now = clock.millis();
    int state = slotOf(hash.of(key) | 1) + 1;
    while (true) {
      long full = (long) SLOT.getAcquire(table, state);
      long next = Math.max(full, now) + interval;
      if (next - now > capacity) {
        return false;
      }
      if (SLOT.compareAndSet(table, state, full, next)) {
        return true;
      }
    }
  }

  /** Maps a hash of 0 to another value, because 0 marks a free slot. */
  private int slotOf(long hash) {
    int i = (int) (((hash >>> 32) * slots) >>> 32) << 1;
    while (true) {
      long found = (long) SLOT.getAcquire(table, i);
      if (found == 0) {
        found = (long) SLOT.compareAndExchange(table, i, 0L, hash);
      }
      if (found == hash || found == 0) {
        return i;
      }
      i += 2;
      if (i == table.length) {
        i = 0;
      }
    }
  }
}
