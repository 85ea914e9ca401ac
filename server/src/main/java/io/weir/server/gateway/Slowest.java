package io.weir.server.gateway;

import io.weir.server.http.Lookout;
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
final class Slowest {
  private Slowest() {}

  /** The exchange to abort among those that match; empty if none of them is slow. */
  static Optional<Exchange> of(Predicate<Exchange> among) {
    long now = System.nanoTime();
    List<Exchange> slow = new ArrayList<>();
    Map<Object, Integer> counts = new HashMap<>();
    Lookout.here()
        .all(Exchange.class)
        .filter(exchange -> among.test(exchange) && exchange.isSlow(now))
        .forEach(
            exchange -> {
              slow.add(exchange);
              counts.merge(holder(exchange), 1, Integer::sum);
            });
    Exchange found = null;
    int most = 0;
    long behind = 0;
    for (Exchange exchange : slow) {
      int count = counts.getOrDefault(holder(exchange), 1);
      long its = exchange.behind(now);
      if (count > most || count == most && its > behind) {
        found = exchange;
        most = count;
        behind = its;
      }
    }
    return Optional.ofNullable(found);
  }

  private static Object holder(Exchange exchange) {
    Client client = exchange.client();
    if (client.address() != null) {
      return client.address();
    }
    return client.connection() == null ? exchange : client.connection();
  }
}
