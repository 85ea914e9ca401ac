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
final class RequestCoalescer {
  private final Map<RequestKey, InFlightRequest> joinable = new HashMap<>();
  private final Set<InFlightRequest> underWay = new HashSet<>();

  /** One caller's membership in a request in flight. */
  final class Participant {
    final InFlightRequest inFlightRequest;

    /** Whether this caller must start the request. */
    final boolean isFirst;

    private final AtomicBoolean hasLeft = new AtomicBoolean();

    private Participant(InFlightRequest inFlightRequest, boolean isFirst) {
      this.inFlightRequest = inFlightRequest;
      this.isFirst = isFirst;
    }

    /** The caller no longer waits. Further calls have no effect. */
    void leave() {
      if (hasLeft.compareAndSet(false, true) && isLast(inFlightRequest)) {
        inFlightRequest.abandoned.complete(null);
      }
    }
  }

  /** Joins an equal request in flight, or begins one if there is none. */
  synchronized Participant join(RequestKey requestKey, Deadline deadline) {
    InFlightRequest inFlightRequest = joinable.get(requestKey);
    if (inFlightRequest != null) {
      inFlightRequest.join(deadline);
      return new Participant(inFlightRequest, false);
    }
    Participant participant = alone(requestKey, deadline);
    joinable.put(requestKey, participant.inFlightRequest);
    return participant;
  }

  /** Begins a request that others cannot join. */
  synchronized Participant alone(RequestKey requestKey, Deadline deadline) {
    InFlightRequest inFlightRequest = new InFlightRequest(requestKey, deadline);
    underWay.add(inFlightRequest);
    return new Participant(inFlightRequest, true);
  }

  private synchronized boolean isLast(InFlightRequest inFlightRequest) {
    boolean isLast = inFlightRequest.leave();
    if (isLast) {
      close(inFlightRequest);
    }
    return isLast;
  }

  /** Removes a request that ended or can no longer be joined. */
  synchronized void close(InFlightRequest inFlightRequest) {
    joinable.remove(inFlightRequest.requestKey, inFlightRequest);
    underWay.remove(inFlightRequest);
  }

  /** Marks requests for a changed resource as outdated: later callers send a new request. */
  synchronized void outdate(URI uri) {
    for (InFlightRequest inFlightRequest : underWay) {
      if (inFlightRequest.requestKey.uri().equals(uri)) {
        inFlightRequest.outdate();
        joinable.remove(inFlightRequest.requestKey, inFlightRequest);
      }
    }
  }
}
