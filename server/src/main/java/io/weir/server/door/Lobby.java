package io.weir.server.door;

import io.netty.channel.EventLoop;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection timeouts of one event loop.
 *
 * <p>There are four queues, one per {@link Place}. All connections of a queue have the same
 * timeout, so the first one is always the next to expire, and one timer serves all. A connection
 * that sends a whole head in one read, as most do, never enters the second queue.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class Lobby implements Runnable {
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

  private static final Place[] PLACES = Place.values();

  private final EventLoop loop;
  private final long[] nanos;
  private final @Nullable Guest[] first = new Guest[PLACES.length];
  private final @Nullable Guest[] last = new Guest[PLACES.length];

  /** Written by the event loop alone; read by other threads. */
  private final AtomicInteger idlers = new AtomicInteger();

  private final UnfinishedHeads unfinished;
  private final ClosedConnections closed;

  /** How many connections are closed at once to make room, and the size that makes a crowd. */
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
  enum Place {
    SILENT,
    HEAD,
    IDLE,
    LEAVING
  }

  /**
   * Without connections.
   *
   * @param several how many connections with an incomplete head are closed at once to make room
   */
  Lobby(
      EventLoop loop,
      Door.Patience patience,
      UnfinishedHeads unfinished,
      ClosedConnections closed,
      IntSupplier several) {
    this.loop = loop;
    this.unfinished = unfinished;
    this.closed = closed;
    this.several = several;
    this.nanos =
        new long[] {
          patience.silent().toNanos(), patience.head().toNanos(), patience.idle().toNanos(), LINGER
        };
  }

  /** The number of connections in all queues. */
  int idlers() {
    return idlers.get();
  }

  /** Puts a connection at the end of a queue, even if it is in that queue already. */
  void enter(Guest guest, Place place) {
    leave(guest);
    int number = place.ordinal();
    Guest end = last[number];
    guest.place = place;
    guest.before = end;
    if (end == null) {
      first[number] = guest;
    } else {
      end.after = guest;
    }
    last[number] = guest;
    idlers.lazySet(idlers.getPlain() + 1);
    look();
    guest.since = place == Place.IDLE ? looked : System.nanoTime();
    counts[number]++;
    if (isUnfinished(place)) {
      Guest oldest = unfinished.add(guest);
      if (oldest != null) {
        closeNow(oldest);
      }
    }
  }

  /** Removes a connection from its queue. */
  void leave(Guest guest) {
    Place place = guest.place;
    if (place == null) {
      return;
    }
    int number = place.ordinal();
    Guest before = guest.before;
    Guest after = guest.after;
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
    guest.before = null;
    guest.after = null;
    guest.place = null;
    counts[number]--;
    if (isUnfinished(place)) {
      unfinished.remove(guest);
    }
    idlers.lazySet(idlers.getPlain() - 1);
  }

  /** Whether the request head is incomplete. */
  private static boolean isUnfinished(Place place) {
    return place == Place.SILENT || place == Place.HEAD;
  }

  private void look() {
    if (!isLooking) {
      isLooking = true;
      looked = System.nanoTime();
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
    long now = System.nanoTime();
    for (Place place : PLACES) {
      letGo(place, now);
    }
    if (idlers.getPlain() > 0) {
      look();
    }
  }

  private void letGo(Place place, long now) {
    Guest guest = first[place.ordinal()];
    while (guest != null && now - guest.since > nanos[place.ordinal()]) {
      Guest next = guest.after;
      if (place == Place.IDLE && (guest.isBusy() || guest.wasBusy)) {
        // The client sent nothing for long, but a response is pending or has just been sent.
        guest.wasBusy = guest.isBusy();
        enter(guest, place);
      } else if (guest.isWarned) {
        dismiss(guest);
      } else {
        guest.isWarned = true;
      }
      guest = next;
    }
  }

  /**
   * Closes connections to make room, from any thread. If many connections have sent an incomplete
   * head, or nothing, several of those are closed; otherwise the one that has been idle longest.
   *
   * @param others where to look next if this loop has no connection to close
   */
  void dismissOne(Iterator<Lobby> others) {
    loop.execute(
        () -> {
          int crowd = several.getAsInt();
          boolean isCrowd = counts[Place.HEAD.ordinal()] >= crowd;
          boolean isSilentCrowd = counts[Place.SILENT.ordinal()] >= crowd;
          boolean isDone =
              (isCrowd && closeSeveral(Place.HEAD, SLOW))
                  || (isSilentCrowd && closeSeveral(Place.SILENT, SLOW))
                  || dismissLeaving(ARRIVAL)
                  || dismissIdler()
                  || (isSilentCrowd ? closeSeveral(Place.SILENT, YOUNG) : dismissSilent(YOUNG))
                  || closeSeveral(Place.HEAD, isCrowd ? 0 : YOUNG)
                  || dismissSilent(0)
                  || dismissLeaving(0);
          if (!isDone && others.hasNext()) {
            others.next().dismissOne(others);
          }
        });
  }

  /** Closes a connection that began its graceful close at least {@code nanosAgo} ago. */
  private boolean dismissLeaving(long nanosAgo) {
    Guest guest = first[Place.LEAVING.ordinal()];
    return guest != null && System.nanoTime() - guest.since >= nanosAgo && dismiss(guest);
  }

  private boolean dismissIdler() {
    for (int i = 0; i < TRIES; i++) {
      Guest guest = first[Place.IDLE.ordinal()];
      if (guest == null) {
        return false;
      }
      if (!guest.isBusy()) {
        return dismiss(guest);
      }
      enter(guest, Place.IDLE); // the client sent nothing for long, but a response is pending
    }
    return false;
  }

  /** Closes the oldest silent connection, but never the newest one. */
  private boolean dismissSilent(long nanosAgo) {
    Guest guest = first[Place.SILENT.ordinal()];
    return guest != last[Place.SILENT.ordinal()]
        && guest != null
        && System.nanoTime() - guest.since >= nanosAgo
        && dismiss(guest);
  }

  /** Closes the oldest connections first: an honest client needs little time to send a head. */
  private boolean closeSeveral(Place place, long nanosAgo) {
    long now = System.nanoTime();
    int most = several.getAsInt();
    int count = 0;
    for (Guest guest = first[place.ordinal()];
        guest != null && count < most && now - guest.since >= nanosAgo;
        guest = first[place.ordinal()]) {
      closeNow(guest);
      count++;
    }
    return count > 0;
  }

  private void closeNow(Guest guest) {
    leave(guest);
    guest.closeNow();
    closed.add();
  }

  private boolean dismiss(Guest guest) {
    Place place = guest.place;
    leave(guest);
    if (place != null) {
      guest.cutOff(place);
    }
    return true;
  }
}
