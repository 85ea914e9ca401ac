package io.weir.client;

import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The requests under way that others may join, and who waits for them. Nobody's code runs while the
 * list is locked: what follows from a change is done by the one who made it.
 */
final class Flights {
  private final Map<Same, Flight> joinable = new HashMap<>();
  private final Set<Flight> underWay = new HashSet<>();

  /** A place on a flight. */
  final class Place {
    final Flight flight;

    /** Whether the flight has yet to begin. */
    final boolean isFirst;

    private final AtomicBoolean hasLeft = new AtomicBoolean();

    private Place(Flight flight, boolean isFirst) {
      this.flight = flight;
      this.isFirst = isFirst;
    }

    /** Whoever waited has an answer or wants none. Once is enough. */
    void leave() {
      if (hasLeft.compareAndSet(false, true) && isLast(flight)) {
        flight.abandoned.complete(null);
      }
    }
  }

  /** Joins those who wait for the same, or begins if there are none. */
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

  /** Begins, and nobody may join. */
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

  /** It is over, or nobody may join any more. */
  synchronized void close(Flight flight) {
    joinable.remove(flight.same, flight);
    underWay.remove(flight);
  }

  /** Something was changed: whoever asks from now on asks anew. */
  synchronized void outdate(URI uri) {
    for (Flight flight : underWay) {
      if (flight.same.uri().equals(uri)) {
        flight.outdate();
        joinable.remove(flight.same, flight);
      }
    }
  }
}
