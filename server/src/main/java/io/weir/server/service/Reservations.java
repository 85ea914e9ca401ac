package io.weir.server.service;

import io.weir.StoreUnavailableException;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
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
 * Charges at a cost that is not known yet, by an id that cannot be guessed. Thread-safe.
 *
 * <p>A reservation that is not settled in time stays charged as it is. The number and the memory of
 * reservations are bounded; a place is taken before anything is charged.
 */
final class Reservations {
  /*
   * A map by id, and a queue by expiry: each call removes what has expired by then, so no timer is
   * needed. The last ids that were settled are kept, without their charges, to distinguish a second
   * commit from a wrong id.
   *
   *            take                settle: done, or in doubt
   *     open  ──────►  in hand  ──────────────────────────────►  settled
   *       ▲               │
   *       └───────────────┘  settle: not sent to the store
   *
   * A call for a reservation that is in hand gets exactly that state. "Settled" would be a promise
   * that the store has not made yet: if the store then cannot be reached, the caller would not
   * retry.
   */

  private static final int ID_BYTES = 16;

  /** The memory of one besides its texts: the charges, their receipts, and two entries here. */
  private static final int OBJECT_BYTES = 1024;

  /** The memory for the id of a settled reservation. */
  private static final int SETTLED_BYTES = 160;

  private final int maxReservations;
  private final long maxBytes;
  private final LongSupplier nanos;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Entry> open = new HashMap<>();
  private final TreeSet<Entry> ends = new TreeSet<>(Entry::compareEnds);
  private final Set<String> beingSettled = new HashSet<>();
  private final Map<String, Boolean> settled;
  private int promised;
  private long bytes; // of those that are open, in hand or promised
  private long added;

  /**
   * Room for {@code maxReservations} at a time, and for as many bytes.
   *
   * @param maxBytes about how many bytes of heap; an eighth more is for the ids of settled ones
   */
  Reservations(int maxReservations, long maxBytes, LongSupplier nanos) {
    this.maxReservations = maxReservations;
    this.maxBytes = maxBytes;
    this.nanos = nanos;
    long maxSettled = Math.min(maxReservations, Math.max(1, maxBytes / 8 / SETTLED_BYTES));
    this.settled =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > maxSettled;
          }
        };
  }

  /** A reservation and its expiry; the number distinguishes those that expire at the same time. */
  private record Entry(
      String id,
      HeldCharge heldCharge,
      long bytes,
      long cost,
      @Nullable Long begunAt,
      long end,
      long number) {
    int compareEnds(Entry other) {
      return end == other.end
          ? Long.compare(number, other.number)
          : Long.signum(end - other.end); // a nanosecond clock may wrap around
    }
  }

  /** The state of a reservation that is to be settled. */
  sealed interface Found {
    /**
     * The caller now owns it and must {@link #settle} it.
     *
     * @param bytes about how many bytes of heap it takes
     * @param cost the reserved cost
     */
    record Open(String id, HeldCharge heldCharge, long bytes, long cost, long end)
        implements Found {}

    /**
     * An earlier attempt at another cost has corrected some limits and failed on others; it is
     * still open.
     */
    record Begun(long cost) implements Found {}

    /** Another call is settling it, with an unknown result so far. */
    record BeingSettled() implements Found {}

    /** It was settled before. */
    record Settled() implements Found {}

    /** It does not exist, or has expired. */
    record Unknown() implements Found {}
  }

  /** The heap that a reservation takes before its rules are known: its attributes. */
  static long bytes(Map<String, String> attributes) {
    long chars = 0;
    for (Map.Entry<String, String> each : attributes.entrySet()) {
      chars += each.getKey().length();
      chars += each.getValue().length();
    }
    return OBJECT_BYTES + 2 * Character.BYTES * chars;
  }

  /** What a reservation takes of the heap at most: its attributes, and the key of each rule. */
  static long bytes(Map<String, String> attributes, RequestDecision requestDecision) {
    return bytes(attributes)
        + bytes(requestDecision.ruleDecisions())
        + bytes(requestDecision.shadows());
  }

  /** A rule that names several attributes makes a text of its own of them; a store, its bytes. */
  private static long bytes(List<RuleDecision> ruleDecisions) {
    long bytes = 0;
    for (RuleDecision ruleDecision : ruleDecisions) {
      bytes += OBJECT_BYTES + 2 * Character.BYTES * (long) ruleDecision.key().length();
    }
    return bytes;
  }

  /**
   * Promises a place; false if there is none. {@link #add} uses it, or it has to be given up.
   *
   * @param needed how many bytes of heap it takes: see {@link #bytes(Map)}
   */
  synchronized boolean promise(long needed) {
    sweep();
    if (open.size() + beingSettled.size() + promised >= maxReservations
        || bytes + needed > maxBytes) {
      return false;
    }
    promised++;
    bytes += needed;
    return true;
  }

  /** Releases a promised place of so many bytes. */
  synchronized void giveUp(long promisedBytes) {
    promised--;
    bytes -= promisedBytes;
  }

  /**
   * Uses a promised place, and returns the id.
   *
   * @param promisedBytes the bytes of the promise
   * @param heldBytes the heap that it takes now that its rules are known; this may exceed the
   *     bound, and then the next reservation is refused
   */
  String add(
      HeldCharge heldCharge, long promisedBytes, long heldBytes, long cost, Duration timeToLive) {
    byte[] code = new byte[ID_BYTES];
    random.nextBytes(code);
    String id = Base64.getUrlEncoder().withoutPadding().encodeToString(code);
    synchronized (this) {
      promised--;
      bytes += heldBytes - promisedBytes;
      long end = nanos.getAsLong() + timeToLive.toNanos();
      add(new Entry(id, heldCharge, heldBytes, cost, null, end, added++));
    }
    return id;
  }

  private void add(Entry entry) {
    open.put(entry.id(), entry);
    ends.add(entry);
  }

  /** Takes a reservation out, to settle it at {@code cost}. */
  synchronized Found take(String id, long cost) {
    sweep();
    Entry entry = open.get(id);
    if (entry == null) {
      if (beingSettled.contains(id)) {
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
    beingSettled.add(id);
    return new Found.Open(id, entry.heldCharge(), entry.bytes(), entry.cost(), entry.end());
  }

  /**
   * Settles a taken reservation at the same cost. If the correction did not reach the store, the
   * reservation is open again until its expiry, so that the caller can retry.
   */
  CompletionStage<Void> settle(Found.Open taken, long cost) {
    CompletionStage<Void> settling;
    try {
      settling = taken.heldCharge().settle(cost);
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
    beingSettled.remove(taken.id());
    Long begunAt = taken.heldCharge().isTouched() ? cost : null;
    add(
        new Entry(
            taken.id(),
            taken.heldCharge(),
            taken.bytes(),
            taken.cost(),
            begunAt,
            taken.end(),
            added++));
  }

  private synchronized void close(Found.Open taken) {
    beingSettled.remove(taken.id());
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
