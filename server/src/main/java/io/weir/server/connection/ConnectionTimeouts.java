package io.weir.server.connection;

import io.netty.channel.EventLoop;
import io.weir.TimeSource;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection timeouts of one event loop.
 *
 * <p>There are four queues, one per {@link ConnectionPhase}. All connections of a queue have the
 * same timeout, so the first one is always the next to expire, and one timer serves all. A
 * connection that sends a whole head in one read, as most do, never enters the second queue.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class ConnectionTimeouts implements Runnable {
  private static final long LOOK_MILLIS = 500;

  /** How many connections of the idle queue are checked to find one that is not busy. */
  private static final int TRIES = 32;

  private static final long SLOW = TimeUnit.SECONDS.toNanos(1);

  /** Nearly every head that arrives in pieces, or after a TLS handshake, is complete by then. */
  private static final long YOUNG = TimeUnit.MILLISECONDS.toNanos(200);

  /** Time for the last response to arrive and for the client to close. */
  private static final long LINGER = TimeUnit.SECONDS.toNanos(3);

  /** The minimum time for the last response to arrive, even if room is needed. */
  private static final long ARRIVAL = TimeUnit.MILLISECONDS.toNanos(200);

  private static final ConnectionPhase[] PLACES = ConnectionPhase.values();

  private final EventLoop loop;
  private final TimeSource clock;
  private final long[] nanos;
  private final @Nullable ConnectionHandler[] first = new ConnectionHandler[PLACES.length];
  private final @Nullable ConnectionHandler[] last = new ConnectionHandler[PLACES.length];

  /** Written by the event loop alone; read by other threads. */
  private final AtomicInteger idleCount = new AtomicInteger();

  private final UnfinishedHeads unfinished;
  private final ClosedConnections closed;

  /** How many connections are closed at once to make room, and how many count as many. */
  private final IntSupplier several;

  /** The number of connections in each phase. */
  private final int[] counts = new int[PLACES.length];

  private boolean isLooking;

  /**
   * When the last check was scheduled. It is precise enough for the idle phase, which begins after
   * every request, and saves a clock read.
   */
  private long looked;

  /**
   * The phase of a connection: nothing received yet; a head has begun; idle after a response; or
   * closing.
   */
  enum ConnectionPhase {
    SILENT,
    HEAD,
    IDLE,
    LEAVING
  }

  /**
   * Without connections.
   *
   * @param clock without steps
   * @param several how many connections with an incomplete head are closed at once to make room
   */
  ConnectionTimeouts(
      EventLoop loop,
      TimeSource clock,
      ConnectionLimiter.Timeouts timeouts,
      UnfinishedHeads unfinished,
      ClosedConnections closed,
      IntSupplier several) {
    this.loop = loop;
    this.clock = clock;
    this.unfinished = unfinished;
    this.closed = closed;
    this.several = several;
    this.nanos =
        new long[] {
          timeouts.silent().toNanos(), timeouts.head().toNanos(), timeouts.idle().toNanos(), LINGER
        };
  }

  /** The number of connections in all queues. */
  int idleCount() {
    return idleCount.get();
  }

  /** Puts a connection at the end of a queue, even if it is in that queue already. */
  void enter(ConnectionHandler connectionHandler, ConnectionPhase connectionPhase) {
    leave(connectionHandler);
    int number = connectionPhase.ordinal();
    ConnectionHandler end = last[number];
    connectionHandler.connectionPhase = connectionPhase;
    connectionHandler.before = end;
    if (end == null) {
      first[number] = connectionHandler;
    } else {
      end.after = connectionHandler;
    }
    last[number] = connectionHandler;
    idleCount.lazySet(idleCount.getPlain() + 1);
    look();
    connectionHandler.since = connectionPhase == ConnectionPhase.IDLE ? looked : clock.epochNanos();
    counts[number]++;
    if (isUnfinished(connectionPhase)) {
      ConnectionHandler oldest = unfinished.add(connectionHandler);
      if (oldest != null) {
        closeNow(oldest);
      }
    }
  }

  /** Removes a connection from its queue. */
  void leave(ConnectionHandler connectionHandler) {
    ConnectionPhase connectionPhase = connectionHandler.connectionPhase;
    if (connectionPhase == null) {
      return;
    }
    int number = connectionPhase.ordinal();
    ConnectionHandler before = connectionHandler.before;
    ConnectionHandler after = connectionHandler.after;
    if (before == null) {
      first[number] = after;
    } else {
      before.after = after;
    }
    if (after == null) {
      last[number] = before;
    } else {
      after.before = before;
    }
    connectionHandler.before = null;
    connectionHandler.after = null;
    connectionHandler.connectionPhase = null;
    counts[number]--;
    if (isUnfinished(connectionPhase)) {
      unfinished.remove(connectionHandler);
    }
    idleCount.lazySet(idleCount.getPlain() - 1);
  }

  /** Whether the request head is incomplete. */
  private static boolean isUnfinished(ConnectionPhase connectionPhase) {
    return connectionPhase == ConnectionPhase.SILENT || connectionPhase == ConnectionPhase.HEAD;
  }

  private void look() {
    if (!isLooking) {
      isLooking = true;
      looked = clock.epochNanos();
      loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /**
   * Closes expired connections. If the event loop itself was delayed, their input may have arrived
   * without being read. So a connection is only marked first and closed one round later.
   */
  @Override
  public void run() {
    isLooking = false;
    long now = clock.epochNanos();
    for (ConnectionPhase connectionPhase : PLACES) {
      closeExpired(connectionPhase, now);
    }
    if (idleCount.getPlain() > 0) {
      look();
    }
  }

  private void closeExpired(ConnectionPhase connectionPhase, long now) {
    ConnectionHandler connectionHandler = first[connectionPhase.ordinal()];
    while (connectionHandler != null
        && now - connectionHandler.since > nanos[connectionPhase.ordinal()]) {
      ConnectionHandler next = connectionHandler.after;
      if (connectionPhase == ConnectionPhase.IDLE
          && (connectionHandler.isBusy() || connectionHandler.wasBusy)) {
        // The client sent nothing for long, but a response is pending or has just been sent.
        connectionHandler.wasBusy = connectionHandler.isBusy();
        enter(connectionHandler, connectionPhase);
      } else if (connectionHandler.isExpired) {
        close(connectionHandler);
      } else {
        connectionHandler.isExpired = true;
      }
      connectionHandler = next;
    }
  }

  /**
   * Closes connections to make room, from any thread. If many connections have sent an incomplete
   * head, or nothing, several of those are closed; otherwise the one that has been idle longest.
   *
   * @param others where to look next if this loop has no connection to close
   */
  void closeOne(Iterator<ConnectionTimeouts> others) {
    loop.execute(
        () -> {
          int crowd = several.getAsInt();
          boolean isCrowd = counts[ConnectionPhase.HEAD.ordinal()] >= crowd;
          boolean isSilentCrowd = counts[ConnectionPhase.SILENT.ordinal()] >= crowd;
          boolean isDone =
              (isCrowd && closeSeveral(ConnectionPhase.HEAD, SLOW))
                  || (isSilentCrowd && closeSeveral(ConnectionPhase.SILENT, SLOW))
                  || closeOldestLeaving(ARRIVAL)
                  || closeOldestIdle()
                  || (isSilentCrowd
                      ? closeSeveral(ConnectionPhase.SILENT, YOUNG)
                      : closeOldestSilent(YOUNG))
                  || closeSeveral(ConnectionPhase.HEAD, isCrowd ? 0 : YOUNG)
                  || closeOldestSilent(0)
                  || closeOldestLeaving(0);
          if (!isDone && others.hasNext()) {
            others.next().closeOne(others);
          }
        });
  }

  /** Closes a connection that began its graceful close at least {@code nanosAgo} ago. */
  private boolean closeOldestLeaving(long nanosAgo) {
    ConnectionHandler connectionHandler = first[ConnectionPhase.LEAVING.ordinal()];
    return connectionHandler != null
        && clock.epochNanos() - connectionHandler.since >= nanosAgo
        && close(connectionHandler);
  }

  private boolean closeOldestIdle() {
    for (int i = 0; i < TRIES; i++) {
      ConnectionHandler connectionHandler = first[ConnectionPhase.IDLE.ordinal()];
      if (connectionHandler == null) {
        return false;
      }
      if (!connectionHandler.isBusy()) {
        return close(connectionHandler);
      }
      enter(
          connectionHandler,
          ConnectionPhase.IDLE); // the client sent nothing for long, but a response is pending
    }
    return false;
  }

  /** Closes the oldest silent connection, but never the newest one. */
  private boolean closeOldestSilent(long nanosAgo) {
    ConnectionHandler connectionHandler = first[ConnectionPhase.SILENT.ordinal()];
    return connectionHandler != last[ConnectionPhase.SILENT.ordinal()]
        && connectionHandler != null
        && clock.epochNanos() - connectionHandler.since >= nanosAgo
        && close(connectionHandler);
  }

  /** Closes the oldest connections first: an honest client needs little time to send a head. */
  private boolean closeSeveral(ConnectionPhase connectionPhase, long nanosAgo) {
    long now = clock.epochNanos();
    int max = several.getAsInt();
    int count = 0;
    for (ConnectionHandler connectionHandler = first[connectionPhase.ordinal()];
        connectionHandler != null && count < max && now - connectionHandler.since >= nanosAgo;
        connectionHandler = first[connectionPhase.ordinal()]) {
      closeNow(connectionHandler);
      count++;
    }
    return count > 0;
  }

  private void closeNow(ConnectionHandler connectionHandler) {
    leave(connectionHandler);
    connectionHandler.closeNow();
    closed.add();
  }

  private boolean close(ConnectionHandler connectionHandler) {
    ConnectionPhase connectionPhase = connectionHandler.connectionPhase;
    leave(connectionHandler);
    if (connectionPhase != null) {
      connectionHandler.cutOff(connectionPhase);
    }
    return true;
  }
}
