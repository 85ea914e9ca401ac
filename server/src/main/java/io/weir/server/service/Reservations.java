package io.weir.server.service;

import io.weir.rules.Held;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was charged at a cost that is not known yet, by an id that nobody can guess.
 *
 * <p>A reservation that nobody settles in its time stays charged as it is. How many there are at a
 * time is bounded; a place is taken before anything is charged.
 */
final class Reservations {
  /*
   * A map by id, and a queue by the time at which each runs out: whoever comes next sweeps what has
   * run out by then, so no timer is needed. The last ids that were settled are kept, without what
   * they held, to tell a second commit from a wrong id.
   */

  private static final int ID_BYTES = 16;

  private final int most;
  private final LongSupplier nanos;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Entry> open = new HashMap<>();
  private final TreeSet<Entry> ends = new TreeSet<>(Entry::compareEnds);
  private final Map<String, Boolean> settled;
  private int promised;
  private long added;

  /** Room for {@code most} at a time. */
  Reservations(int most, LongSupplier nanos) {
    this.most = most;
    this.nanos = nanos;
    this.settled =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > most;
          }
        };
  }

  /** What is held, until when; the number tells apart what ends at the same time. */
  private record Entry(
      String id, Held held, long cost, @Nullable Long attempted, long end, long number) {
    int compareEnds(Entry other) {
      return end == other.end
          ? Long.compare(number, other.number)
          : Long.signum(end - other.end); // a clock of nanoseconds may pass the greatest number
    }
  }

  /** What somebody asks of a reservation. */
  sealed interface Found {
    /**
     * It is open no more, and the caller's to settle, or to {@link #reopen}.
     *
     * @param cost at which it was reserved
     * @param attempted at which somebody has tried to settle it before; null: nobody has
     */
    record Open(String id, Held held, long cost, @Nullable Long attempted, long end)
        implements Found {}

    /** Somebody has settled it before. */
    record Settled() implements Found {}

    /** There is none, or it has run out. */
    record Unknown() implements Found {}
  }

  /** Promises a place; false if there is none. It is to be taken by {@link #add}, or given up. */
  synchronized boolean promise() {
    sweep();
    if (open.size() + promised >= most) {
      return false;
    }
    promised++;
    return true;
  }

  /** Gives a promised place up. */
  synchronized void giveUp() {
    promised--;
  }

  /** Takes a promised place, and gives its id. */
  String add(Held held, long cost, Duration timeToLive) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    synchronized (this) {
      promised--;
      long end = nanos.getAsLong() + timeToLive.toNanos();
      add(new Entry(id, held, cost, null, end, added++));
    }
    return id;
  }

  private void add(Entry entry) {
    open.put(entry.id(), entry);
    ends.add(entry);
  }

  /**
   * Opens a reservation again that could not be settled at {@code cost}, until it would have run
   * out anyway. That may be one more than there is room for: it was there before.
   */
  synchronized void reopen(Found.Open taken, long cost) {
    settled.remove(taken.id());
    add(new Entry(taken.id(), taken.held(), taken.cost(), cost, taken.end(), added++));
  }

  /** Takes a reservation out, to be settled. */
  synchronized Found take(String id) {
    sweep();
    Entry entry = open.remove(id);
    if (entry == null) {
      return settled.containsKey(id) ? new Found.Settled() : new Found.Unknown();
    }
    ends.remove(entry);
    settled.put(id, true);
    return new Found.Open(id, entry.held(), entry.cost(), entry.attempted(), entry.end());
  }

  /** How many are open. */
  synchronized int size() {
    sweep();
    return open.size();
  }

  private void sweep() {
    long now = nanos.getAsLong();
    while (!ends.isEmpty() && now - ends.first().end >= 0) {
      open.remove(ends.pollFirst().id);
    }
  }
}
