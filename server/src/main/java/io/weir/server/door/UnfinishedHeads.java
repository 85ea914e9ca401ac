package io.weir.server.door;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose client has sent nothing yet, or has begun a request and not ended its head, by
 * client address.
 *
 * <p>Most clients send a head in one go. One address may leave only so many unfinished: each one
 * more closes the oldest of that address, so that the newest, which may be an honest neighbor's, is
 * read. The addresses are counted over all event loops, the oldest is one of the same event loop.
 */
final class UnfinishedHeads {
  private final Map<Object, Integer> counts;
  private final IntSupplier most;

  /** Those of this event loop, the oldest first. */
  private final Map<Object, LinkedHashSet<Guest>> here = new HashMap<>();

  /**
   * None yet.
   *
   * @param counts by address, of all event loops
   * @param most of one address
   */
  UnfinishedHeads(ConcurrentHashMap<Object, Integer> counts, IntSupplier most) {
    this.counts = counts;
    this.most = most;
  }

  /**
   * A head is waited for.
   *
   * @return the connection that has to go for it; null if none has
   */
  @Nullable Guest add(Guest guest) {
    Object address = guest.address;
    if (address == null) {
      return null;
    }
    LinkedHashSet<Guest> same = here.computeIfAbsent(address, first -> new LinkedHashSet<>());
    same.add(guest);
    int count = counts.merge(address, 1, Integer::sum);
    return count > most.getAsInt() && same.size() > 1 ? same.iterator().next() : null;
  }

  /** It is complete, or its connection is closed. */
  void remove(Guest guest) {
    Object address = guest.address;
    LinkedHashSet<Guest> same = address == null ? null : here.get(address);
    if (address == null || same == null || !same.remove(guest)) {
      return;
    }
    if (same.isEmpty()) {
      here.remove(address);
    }
    counts.merge(address, -1, (before, less) -> before + less == 0 ? null : before + less);
  }
}
