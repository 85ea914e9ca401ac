package io.weir.server.door;

import io.netty.channel.EventLoop;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where those wait that an event loop looks after.
 *
 * <p>There are four queues: who has said nothing yet, who has begun to say something, who has got
 * an answer and says nothing more, and who was asked to leave. In each everybody has the same time,
 * so that the first is the next whose time is over, and one timer does for all of them; whoever
 * says what it wants in one go, as most do, never stands in the second.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class Lobby implements Runnable {
  private static final long LOOK_MILLIS = 500;

  /** How many are looked at, of those who seem to be idle, to find one who is. */
  private static final int TRIES = 32;

  private static final long SLOW = TimeUnit.SECONDS.toNanos(1);

  /** Nearly every head that comes in pieces, or behind a TLS handshake, is complete by then. */
  private static final long YOUNG = TimeUnit.MILLISECONDS.toNanos(200);

  /** For the last answer to arrive, and for the other end to say goodbye. */
  private static final long LINGER = TimeUnit.SECONDS.toNanos(3);

  /** For the last answer to arrive, at least, where others are idle. */
  private static final long ARRIVAL = TimeUnit.MILLISECONDS.toNanos(200);

  private static final Place[] PLACES = Place.values();

  private final EventLoop loop;
  private final long[] nanos;
  private final @Nullable Guest[] first = new Guest[PLACES.length];
  private final @Nullable Guest[] last = new Guest[PLACES.length];

  /** Written by the loop alone; others look. */
  private final AtomicInteger idlers = new AtomicInteger();

  private final UnfinishedHeads unfinished;
  private final ClosedConnections closed;

  /** How many go at once when room is needed, and from how many in one place on it is a crowd. */
  private final IntSupplier several;

  /** How many wait in each place. */
  private final int[] counts = new int[PLACES.length];

  private boolean isLooking;

  /** When this looked last; near enough for who is idle, which happens with each request. */
  private long looked;

  /** Where somebody waits. */
  enum Place {
    SILENT,
    HEAD,
    IDLE,
    LEAVING
  }

  /**
   * Empty.
   *
   * @param several without a whole head go at once when room is needed
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

  /** How many wait here for one thing or another. */
  int idlers() {
    return idlers.get();
  }

  /** Waits from now on; at the end of the queue if in the same place. */
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

  /** Waits no more. */
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

  /** Whether a whole head is still to come. */
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
   * Lets those go whose time is over. Where the loop itself was held up, what they said may be
   * there and not read: nobody has to go before the loop has come round once more.
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
        // It has said nothing for long, but waits for an answer, or got it only now.
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
   * Makes room, from any thread: closes several connections of a crowd that is slow to send a head,
   * or anything at all; else asks the one to leave that has been idle for longest.
   *
   * @param others where to look next if nobody here is idle
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

  /** Who was asked to leave so long ago, and does not. */
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
      enter(guest, Place.IDLE); // it has said nothing for long, but waits for an answer
    }
    return false;
  }

  /** Not who has come last. */
  private boolean dismissSilent(long nanosAgo) {
    Guest guest = first[Place.SILENT.ordinal()];
    return guest != last[Place.SILENT.ordinal()]
        && guest != null
        && System.nanoTime() - guest.since >= nanosAgo
        && dismiss(guest);
  }

  /** The oldest first; most clients take no time at all to send a head. */
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
