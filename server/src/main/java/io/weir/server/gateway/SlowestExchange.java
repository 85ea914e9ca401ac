package io.weir.server.gateway;

import io.weir.server.connection.TimeoutSweeper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Selects the exchange to abort when no connection is free.
 *
 * <p>A client that sends a byte of its request now and then, or does not read its response, wastes
 * a connection. Of all such exchanges on this event loop, one of the client address with the most
 * of them is selected, because an honest client on a slow line has few. Of that client, it is the
 * exchange that lags most.
 */
final class SlowestExchange {
  private SlowestExchange() {}

  /** The exchange to abort among those that match; empty if none of them is slow. */
  static Optional<ProxyExchange> of(Predicate<ProxyExchange> among, long now) {
    List<ProxyExchange> slow = new ArrayList<>();
    Map<Object, Integer> counts = new HashMap<>();
    TimeoutSweeper.here()
        .all(ProxyExchange.class)
        .filter(proxyExchange -> among.test(proxyExchange) && proxyExchange.isSlow(now))
        .forEach(
            proxyExchange -> {
              slow.add(proxyExchange);
              counts.merge(holder(proxyExchange), 1, Integer::sum);
            });
    ProxyExchange found = null;
    int maxCount = 0;
    long behind = 0;
    for (ProxyExchange proxyExchange : slow) {
      int count = counts.getOrDefault(holder(proxyExchange), 1);
      long its = proxyExchange.behind(now);
      if (count > maxCount || count == maxCount && its > behind) {
        found = proxyExchange;
        maxCount = count;
        behind = its;
      }
    }
    return Optional.ofNullable(found);
  }

  private static Object holder(ProxyExchange proxyExchange) {
    ClientIdentity clientIdentity = proxyExchange.clientIdentity();
    if (clientIdentity.address() != null) {
      return clientIdentity.address();
    }
    return clientIdentity.connection() == null ? proxyExchange : clientIdentity.connection();
  }
}
