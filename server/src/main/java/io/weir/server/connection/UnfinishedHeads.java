package io.weir.server.connection;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have sent nothing yet, or only a part of a request head, by client address.
 *
 * <p>Most clients send a head in one go, so one address may have only a limited number unfinished.
 * One more closes the oldest of that address: the newest may belong to an honest client behind the
 * same address. Addresses are counted across all event loops; the connection closed is one of the
 * same event loop.
 */
final class UnfinishedHeads {
  private final Map<Object, Integer> counts;
  private final IntSupplier maxPerAddress;

  /** Connections of this event loop, oldest first. */
  private final Map<Object, LinkedHashSet<ConnectionHandler>> here = new HashMap<>();

  /**
   * Without connections.
   *
   * @param counts connections by address, shared by all event loops
   * @param maxPerAddress the limit per address
   */
  UnfinishedHeads(ConcurrentHashMap<Object, Integer> counts, IntSupplier maxPerAddress) {
    this.counts = counts;
    this.maxPerAddress = maxPerAddress;
  }

  /**
   * Adds a connection with an incomplete head.
   *
   * @return the connection to close in exchange; null if none
   */
  @Nullable ConnectionHandler add(ConnectionHandler connectionHandler) {
    Object address = connectionHandler.address;
    if (address == null) {
      return null;
    }
    LinkedHashSet<ConnectionHandler> same =
        here.computeIfAbsent(address, first -> new LinkedHashSet<>());
    same.add(connectionHandler);
    int count = counts.merge(address, 1, Integer::sum);
    return count > maxPerAddress.getAsInt() && same.size() > 1 ? same.iterator().next() : null;
  }

  /** Removes a connection after its head is complete or it was closed. */
  void remove(ConnectionHandler connectionHandler) {
    Object address = connectionHandler.address;
    LinkedHashSet<ConnectionHandler> same = address == null ? null : here.get(address);
    if (address == null || same == null || !same.remove(connectionHandler)) {
      return;
    }
    if (same.isEmpty()) {
      here.remove(address);
    }
    counts.merge(address, -1, (before, less) -> before + less == 0 ? null : before + less);
  }
}
