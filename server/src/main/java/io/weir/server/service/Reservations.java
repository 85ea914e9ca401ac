package io.weir.server.service;

import io.weir.StoreUnavailableException;
import io.weir.rules.Held;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was charged at a cost that is not known yet, by an id that nobody can guess.
 *
 * <p>A reservation that nobody settles in its time stays charged as it is. How many there are at a
 * time is bounded, by number and by bytes; a place is taken before anything is charged.
 */
final class Reservations {
  /*
   * A map by id, and a queue by the time at which each runs out: whoever comes next sweeps what has
   * run out by then, so no timer is needed. The last ids that were settled are kept, without what
   * they held, to tell a second commit from a wrong id.
   *
   *            take                settle: done, or in doubt
   *     open  ──────►  in hand  ──────────────────────────────►  settled
   *       ▲               │
   *       └───────────────┘  settle: the store was not told
   *
   * Who comes while it is in hand is told just that. "Settled" would be a promise that the store
   * has not made yet: if it then cannot be told, nobody would come again.
   */

  private static final int ID_BYTES = 16;

  /** What one takes beside its texts: what was charged, how to correct it, and two entries here. */
  private static final int OBJECT_BYTES = 1024;

  /** What remembering takes that one was settled. */
  private static final int SETTLED_BYTES = 160;

  private final int most;
  private final long mostBytes;
  private final LongSupplier nanos;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Entry> open = new HashMap<>();
  private final TreeSet<Entry> ends = new TreeSet<>(Entry::compareEnds);
  private final Set<String> inHand = new HashSet<>();
  private final Map<String, Boolean> settled;
  private int promised;
  private long bytes; // of those that are open, in hand or promised
  private long added;

  /**
   * Room for {@code most} at a time, and for as many bytes.
   *
   * @param mostBytes of the heap, about; an eighth of them more to remember what was settled
   */
  Reservations(int most, long mostBytes, LongSupplier nanos) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.nanos = nanos;
    long mostSettled = Math.min(most, Math.max(1, mostBytes / 8 / SETTLED_BYTES));
    this.settled =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > mostSettled;
          }
        };
  }

  /** What is held, until when; the number tells apart what ends at the same time. */
  private record Entry(
      String id, Held held, long bytes, long cost, @Nullable Long begunAt, long end, long number) {
    int compareEnds(Entry other) {
      return end == other.end
          ? Long.compare(number, other.number)
          : Long.signum(end - other.end); // a clock of nanoseconds may pass the greatest number
    }
  }

  /** What somebody who wants to settle a reservation finds. */
  sealed interface Found {
    /**
     * It is the caller's, who must {@link #settle} it.
     *
     * @param bytes what it takes of the heap, about
     * @param cost at which it was reserved
     */
    record Open(String id, Held held, long bytes, long cost, long end) implements Found {}

    /** Some limits are corrected to another cost, and the others could not be: it is open. */
    record Begun(long cost) implements Found {}

    /** Somebody else is at it; how that ends is not known yet. */
    record BeingSettled() implements Found {}

    /** Somebody has settled it before. */
    record Settled() implements Found {}

    /** There is none, or it has run out. */
    record Unknown() implements Found {}
  }

  /** What a reservation takes of the heap before its rules are known: its attributes. */
  static long bytes(Map<String, String> attributes) {
    long chars = 0;
    for (Map.Entry<String, String> each : attributes.entrySet()) {
      chars += each.getKey().length();
      chars += each.getValue().length();
    }
    return OBJECT_BYTES + 2 * Character.BYTES * chars;
  }

  /** What a reservation takes of the heap at most: its attributes, and the key of each rule. */
  static long bytes(Map<String, String> attributes, Ruling ruling) {
    return bytes(attributes) + bytes(ruling.verdicts()) + bytes(ruling.shadows());
  }

  /** A rule that names several attributes makes a text of its own of them; a store, its bytes. */
  private static long bytes(List<Verdict> verdicts) {
    long bytes = 0;
    for (Verdict verdict : verdicts) {
      bytes += OBJECT_BYTES + 2 * Character.BYTES * (long) verdict.key().length();
    }
    return bytes;
  }

  /**
   * Promises a place; false if there is none. It is to be taken by {@link #add}, or given up.
   *
   * @param needed what it takes of the heap: see {@link #bytes(Map)}
   */
  synchronized boolean promise(long needed) {
    sweep();
    if (open.size() + inHand.size() + promised >= most || bytes + needed > mostBytes) {
      return false;
    }
    promised++;
    bytes += needed;
    return true;
  }

  /** Gives a promised place of so many bytes up. */
  synchronized void giveUp(long promisedBytes) {
    promised--;
    bytes -= promisedBytes;
  }

  /**
   * Takes a promised place, and gives its id.
   *
   * @param promisedBytes the bytes of the promise
   * @param heldBytes what it takes of the heap now that its rules are known; the bound may be
   *     exceeded by it, and what comes next is refused
   */
  String add(Held held, long promisedBytes, long heldBytes, long cost, Duration timeToLive) {
    byte[] code = new byte[ID_BYTES];
    random.nextBytes(code);
    String id = Base64.getUrlEncoder().withoutPadding().encodeToString(code);
    synchronized (this) {
      promised--;
      bytes += heldBytes - promisedBytes;
      long end = nanos.getAsLong() + timeToLive.toNanos();
      add(new Entry(id, held, heldBytes, cost, null, end, added++));
    }
    return id;
  }

  private void add(Entry entry) {
    open.put(entry.id(), entry);
    ends.add(entry);
  }

  /** Takes a reservation out, to be settled at {@code cost}. */
  synchronized Found take(String id, long cost) {
    sweep();
    Entry entry = open.get(id);
    if (entry == null) {
      if (inHand.contains(id)) {
        return new Found.BeingSettled();
      }
      return settled.containsKey(id) ? new Found.Settled() : new Found.Unknown();
    }
    Long begunAt = entry.begunAt();
    if (begunAt != null && begunAt != cost) {
      return new Found.Begun(begunAt);
    }
    open.remove(id);
    ends.remove(entry);
    inHand.add(id);
    return new Found.Open(id, entry.held(), entry.bytes(), entry.cost(), entry.end());
  }

  /**
   * Settles what was taken at the same cost. What the store was not told is open again, until it
   * would have run out anyway, so that the caller can repeat it.
   */
  CompletionStage<Void> settle(Found.Open taken, long cost) {
    CompletionStage<Void> settling;
    try {
      settling = taken.held().settle(cost);
    } catch (RuntimeException | Error e) {
      reopen(taken, cost);
      throw e;
    }
    return settling.whenComplete(
        (done, failure) -> {
          if (StoreUnavailableException.isUndone(failure)) {
            reopen(taken, cost);
          } else {
            close(taken);
          }
        });
  }

  private synchronized void reopen(Found.Open taken, long cost) {
    inHand.remove(taken.id());
    Long begunAt = taken.held().isTouched() ? cost : null;
    add(
        new Entry(
            taken.id(), taken.held(), taken.bytes(), taken.cost(), begunAt, taken.end(), added++));
  }

  private synchronized void close(Found.Open taken) {
    inHand.remove(taken.id());
    bytes -= taken.bytes();
    settled.put(taken.id(), true);
  }

  /** How many are open. */
  synchronized int size() {
    sweep();
    return open.size();
  }

  private void sweep() {
    long now = nanos.getAsLong();
    while (!ends.isEmpty() && now - ends.first().end >= 0) {
      Entry over = ends.first();
      ends.remove(over);
      open.remove(over.id);
      bytes -= over.bytes;
    }
  }
}
