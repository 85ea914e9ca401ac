package io.weir.tck.model;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.List;

/** A queue of places; each waits for its turn, and the turns come at a steady rate. */
final class LeakyBucketModel extends Model {
  private final long queue;
  private final Fraction interval;
  private final List<Place> places = new ArrayList<>();

  /** Leaves at {@code turn}, and keeps the turns after it empty: {@code turns} in all. */
  private record Place(Fraction turn, long turns) {}

  LeakyBucketModel(Limit.LeakyBucket limit) {
    super(limit);
    queue = limit.queue();
    interval =
        limit.permits() == 0
            ? Fraction.ZERO
            : millis(limit.period()).dividedBy(Fraction.of(limit.permits()));
  }

  /** The first turn from {@code now} on that nobody has. */
  private Fraction nextTurn(Fraction now) {
    if (places.isEmpty()) {
      return now;
    }
    Place last = last();
    return last.turn().plus(interval.times(last.turns())).max(now);
  }

  /** How many turns are taken that are still to come after {@code now}. */
  private long waiting(Fraction now) {
    return places.stream().mapToLong(place -> waiting(place, now)).sum();
  }

  private long waiting(Place place, Fraction now) {
    if (place.turn().isAbove(now)) {
      return place.turns();
    }
    long passed = now.minus(place.turn()).dividedBy(interval).floor().longValueExact() + 1;
    return Math.max(0, place.turns() - passed);
  }

  private boolean idle(Fraction now) {
    return nextTurn(now).equals(now);
  }

  /** One that may go at once needs no place in the queue; the turns that it keeps empty do. */
  @Override
  boolean fits(long cost, Fraction now) {
    return idle(now) ? cost - 1 <= queue : waiting(now) + cost <= queue;
  }

  @Override
  Taken take(long cost, Fraction time) {
    if (cost == 0) {
      return (permits, now) -> {};
    }
    Place place = new Place(nextTurn(now(time)), cost);
    places.add(place);
    return (permits, now) -> {
      if (!places.isEmpty() && last() == place) {
        refund(permits, now);
      }
    };
  }

  @Override
  void refund(long permits, Fraction now) {
    long left = permits;
    while (left > 0 && !places.isEmpty()) {
      Place last = places.remove(places.size() - 1);
      if (last.turns() > left) {
        places.add(new Place(last.turn(), last.turns() - left));
      }
      left -= Math.min(left, last.turns());
    }
  }

  @Override
  Fraction delay(Fraction now) {
    return nextTurn(now).minus(now).roundedUpTo(tick);
  }

  @Override
  Fraction reset(Fraction now) {
    return delay(now);
  }

  private Place last() {
    return places.get(places.size() - 1);
  }

  @Override
  Fraction reach(Fraction now) {
    return interval.times(queue + 1).roundedDownTo(tick);
  }

  @Override
  void inherit(Model old, Fraction now) {
    Fraction debt = ((LeakyBucketModel) old).nextTurn(now).minus(now);
    Fraction next = now.plus(debt.min(interval.times(queue + 1)));
    long turns =
        next.minus(now).dividedBy(interval).roundedUpTo(Fraction.ONE).floor().longValueExact();
    if (turns > 0) {
      places.add(new Place(next.minus(interval.times(turns)), turns));
    }
  }

  @Override
  LeakyBucketModel copy() {
    LeakyBucketModel copy = new LeakyBucketModel((Limit.LeakyBucket) limit);
    copy.places.addAll(places);
    return copy;
  }
}
