package io.weir.server.connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts connections closed before their request head was complete, and logs the count at most once
 * a minute. Thread-safe.
 */
final class ClosedConnections {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final long MINUTE = 60_000_000_000L;

  private final AtomicLong unlogged = new AtomicLong();
  private final AtomicLong next = new AtomicLong(System.nanoTime());

  /** Counts one connection. */
  void add() {
    unlogged.incrementAndGet();
    long now = System.nanoTime();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + MINUTE)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "closed connections that sent no complete request head: {0}",
          unlogged.getAndSet(0));
    }
  }
}
