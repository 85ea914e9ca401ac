package io.weir.redis;

import io.weir.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Combines concurrent checks of one key into one call. Thread-safe.
 *
 * <p>The first check of a key is sent at once. Checks that arrive during the call wait, and go
 * together in the next call. That call asks for the sum of their equal costs, and the reply says
 * how many pass. A check waits for at most two calls, unless more than 512 are waiting.
 */
final class Flights {
  /*
   * The decisions are those of checks that arrived one right after the other. Redis grants the
   * first k of n; all have the same cost, so every check after a refused one would be refused too.
   * A check is never decided by a call sent before it arrived, with two exceptions. One is a cached
   * refusal, which holds until the request could fit. The other is permits taken in advance, if the
   * limiter is leased.
   *
   * A failed call fails all checks that are in it or wait behind it: Redis does not respond, and
   * they have waited long enough.
   */

  private static final int MOST_TOGETHER = 8192;

  private final Clock clock;
  private final Refusals refusals;
  private final Counters counters;
  private final ConcurrentHashMap<String, Flight> flights = new ConcurrentHashMap<>();

  Flights(Clock clock, Refusals refusals, Counters counters) {
    this.clock = clock;
    this.refusals = refusals;
    this.counters = counters;
  }

  /** Sends {@code passenger} to Redis, alone or with others. */
  void board(Passenger<?> passenger) {
    while (true) {
      Flight flight = flights.get(passenger.key);
      if (flight == null) {
        Flight mine = new Flight(passenger);
        if (flights.putIfAbsent(passenger.key, mine) == null) {
          mine.depart(mine.aboard);
          return;
        }
      } else if (!flight.takes(passenger)) {
        new Flight(passenger).depart(List.of(passenger));
        return;
      } else if (flight.await(passenger)) {
        counters.coalesced(1);
        return;
      }
    }
  }

  /** The checks of one key and cost that are in progress, and those that wait. */
  private final class Flight {
    private final Leases leases;
    private final Plan plan;
    private final String key;
    private final long cost;
    private final List<Passenger<?>> aboard;
    private List<Passenger<?>> waiting = new ArrayList<>(0);
    private boolean isOver;

    Flight(Passenger<?> first) {
      this.leases = first.leases;
      this.plan = first.plan;
      this.key = first.key;
      this.cost = first.cost;
      this.aboard = List.of(first);
    }

    boolean takes(Passenger<?> passenger) {
      return passenger.plan == plan && passenger.cost == cost && plan.isPlain();
    }

    synchronized boolean await(Passenger<?> passenger) {
      if (isOver) {
        flights.remove(key, this);
        return false;
      }
      waiting.add(passenger);
      return true;
    }

    void depart(List<Passenger<?>> passengers) {
      try {
        send(passengers);
      } catch (RuntimeException e) { // the waiting checks must learn of the failure
        failed(passengers, new Failure(Failure.Kind.OTHER, "cannot ask: " + e));
      }
    }

    private void send(List<Passenger<?>> passengers) {
      Refusals.Asked asked = refusals.ask(plan, key);
      Wish wish = leases.wish(key, cost, passengers.size());
      Desk desk = leases.desk();
      desk.ask(
          new Exchange(desk, plan, key, () -> wish.message(clock.micros())) {
            @Override
            boolean mustBeCopied(long[] reply) {
              return Plan.granted(reply) > 0;
            }

            @Override
            void answered(long[] reply) {
              Outcome outcome = wish.outcome(reply);
              // A grant changes the waits of other callers.
              Refusals.Asked since =
                  outcome.granted() > 0 ? refusals.forget(plan, key, asked) : asked;
              Decision last = outcome.decision(passengers.size() - 1);
              if (!last.allowed() && outcome.isLasting()) {
                refusals.remember(plan, key, since, last, outcome.epochMicros());
              }
              arrive(passengers, outcome);
            }

            @Override
            void onFailure(Failure failure) {
              wish.failed();
              failed(passengers, failure);
            }
          });
    }

    private void failed(List<Passenger<?>> passengers, Failure failure) {
      List<Passenger<?>> others = end();
      passengers.forEach(each -> each.failed(failure));
      others.forEach(each -> each.failed(failure));
    }

    /**
     * Completes the passengers, then sends or refuses the waiting checks. A caller that checks
     * again in its callback joins the waiting ones. That doubles the batch size when the same few
     * callers repeat.
     */
    private void arrive(List<Passenger<?>> passengers, Outcome outcome) {
      Decision refusal = refusals.refusal(plan, key, cost);
      if (refusal == null) {
        tell(passengers, outcome);
        departNext();
      } else {
        List<Passenger<?>> others = end();
        tell(passengers, outcome);
        others.forEach(each -> each.refused(refusal));
      }
    }

    private static void tell(List<Passenger<?>> passengers, Outcome outcome) {
      for (int i = 0; i < passengers.size(); i++) {
        passengers.get(i).decided(outcome, i);
      }
    }

    private void departNext() {
      List<Passenger<?>> next = next();
      while (!next.isEmpty()) {
        List<Passenger<?>> unserved = unserved(next);
        if (!unserved.isEmpty()) {
          depart(unserved);
          return;
        }
        next = next();
      }
      flights.remove(key, this);
    }

    /** The checks without permits taken in advance. */
    private static List<Passenger<?>> unserved(List<Passenger<?>> passengers) {
      int served = 0;
      while (served < passengers.size() && passengers.get(served).isServed()) {
        served++;
      }
      return served == 0 ? passengers : passengers.subList(served, passengers.size());
    }

    private synchronized List<Passenger<?>> next() {
      List<Passenger<?>> next = waiting;
      if (next.size() > MOST_TOGETHER) {
        next = new ArrayList<>(waiting.subList(0, MOST_TOGETHER));
        waiting = new ArrayList<>(waiting.subList(MOST_TOGETHER, waiting.size()));
      } else {
        waiting = new ArrayList<>(0);
      }
      isOver = next.isEmpty();
      return next;
    }

    /**
     * Ends the flight before the checks complete. A callback may check again and wait for the
     * result, and must not wait for this flight.
     */
    private List<Passenger<?>> end() {
      List<Passenger<?>> left;
      synchronized (this) {
        left = waiting;
        isOver = true;
      }
      flights.remove(key, this);
      return left;
    }
  }

  /** One check, until it is decided. */
  abstract static class Passenger<T> extends CompletableFuture<T> {
    final Leases leases;
    final Plan plan;
    final String key;
    final long cost;

    Passenger(Leases leases, String key, long cost) {
      this.leases = leases;
      this.plan = leases.plan();
      this.key = key;
      this.cost = cost;
    }

    /** Redis has decided; this is number {@code i} of the checks in the call. */
    abstract void decided(Outcome outcome, int i);

    /** Whether permits taken in advance were enough. */
    abstract boolean isServed();

    /** It is known that Redis would refuse. */
    abstract void refused(Decision refusal);

    /** Redis could not be called. */
    abstract void failed(Failure failure);
  }
}
