package io.weir.server.gateway;

import io.weir.server.Forwarding.ClientLimits;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections to a server that each client uses, on one event loop. Each client gets
 * only a share, so that a few addresses cannot use up all connections.
 */
final class ClientShares {
  /** The minimum share, because shares of few connections would be too small for a browser. */
  private static final int MIN_CONNECTIONS = 4;

  private final ClientLimits bounds;

  /** Counts by address and by connection. */
  private final Map<Object, Integer> held = new HashMap<>();

  ClientShares(ClientLimits bounds) {
    this.bounds = bounds;
  }

  /** Whether a client may use one more of {@code maxConnections} connections. */
  boolean mayAdd(ClientIdentity clientIdentity, int maxConnections) {
    return of(clientIdentity.address()) < share(bounds.addressShare(), maxConnections)
        && of(clientIdentity.connection()) < share(bounds.connectionShare(), maxConnections);
  }

  private static int share(int percent, int maxConnections) {
    return Math.max(MIN_CONNECTIONS, (int) (maxConnections * (long) percent / 100));
  }

  private int of(@Nullable Object holder) {
    return holder == null ? 0 : held.getOrDefault(holder, 0);
  }

  void add(ClientIdentity clientIdentity) {
    add(clientIdentity.address(), 1);
    add(clientIdentity.connection(), 1);
  }

  void remove(ClientIdentity clientIdentity) {
    add(clientIdentity.address(), -1);
    add(clientIdentity.connection(), -1);
  }

  private void add(@Nullable Object holder, int change) {
    if (holder != null) {
      held.merge(holder, change, (before, more) -> before + more == 0 ? null : before + more);
    }
  }
}
