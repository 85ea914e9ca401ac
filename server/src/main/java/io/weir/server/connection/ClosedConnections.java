package io.weir.server.connection;

import io.weir.TimeSource;
import io.weir.logs.OncePerMinute;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts connections closed before their request head was complete, and logs the count at most once
 * a minute. Thread-safe.
 */
final class ClosedConnections {
  private static final System.Logger LOG = System.getLogger("io.weir.server");

  private final AtomicLong unlogged = new AtomicLong();
  private final OncePerMinute oncePerMinute;

  ClosedConnections(TimeSource clock) {
    oncePerMinute = new OncePerMinute(clock);
  }

  /** Counts one connection. */
  void add() {
    unlogged.incrementAndGet();
    if (oncePerMinute.isDue()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "closed connections that sent no complete request head: {0}",
          unlogged.getAndSet(0));
    }
  }
}
