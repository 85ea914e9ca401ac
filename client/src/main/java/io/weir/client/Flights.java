package io.weir.client;

import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The requests in flight that others may join, and their callers. No callback runs while the lock
 * is held: the thread that made a change runs what follows from it.
 */
final class Flights {
  private final Map<Same, Flight> joinable = new HashMap<>();
  private final Set<Flight> underWay = new HashSet<>();

  /** One caller's membership in a request in flight. */
  final class Place {
    final Flight flight;

    /** Whether this caller must start the request. */
    final boolean isFirst;

    private final AtomicBoolean hasLeft = new AtomicBoolean();

    private Place(Flight flight, boolean isFirst) {
      this.flight = flight;
      this.isFirst = isFirst;
    }

    /** The caller no longer waits. Further calls have no effect. */
    void leave() {
      if (hasLeft.compareAndSet(false, true) && isLast(flight)) {
        flight.abandoned.complete(null);
      }
    }
  }

  /** Joins an equal request in flight, or begins one if there is none. */
  synchronized Place join(Same same, Deadline deadline) {
    Flight there = joinable.get(same);
    if (there != null) {
      there.board(deadline);
      return new Place(there, false);
    }
    Place place = alone(same, deadline);
    joinable.put(same, place.flight);
    return place;
  }

  /** Begins a request that others cannot join. */
  synchronized Place alone(Same same, Deadline deadline) {
    Flight flight = new Flight(same, deadline);
    underWay.add(flight);
    return new Place(flight, true);
  }

  private synchronized boolean isLast(Flight flight) {
    boolean isLast = flight.leave();
    if (isLast) {
      close(flight);
    }
    return isLast;
  }

  /** Removes a request that ended or can no longer be joined. */
  synchronized void close(Flight flight) {
    joinable.remove(flight.same, flight);
    underWay.remove(flight);
  }

  /** Marks requests for a changed resource as outdated: later callers send a new request. */
  synchronized void outdate(URI uri) {
    for (Flight flight : underWay) {
      if (flight.same.uri().equals(uri)) {
        flight.outdate();
        joinable.remove(flight.same, flight);
      }
    }
  }
}
