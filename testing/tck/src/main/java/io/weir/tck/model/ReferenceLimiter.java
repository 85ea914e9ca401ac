package io.weir.tck.model;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Defines what every limiter must decide: several limits on each key, all or nothing.
 *
 * <p>Times are exact milliseconds since the epoch. A reset or a refund does not affect receipts:
 * settling one afterwards gives back what it would have given back without it.
 *
 * <p>A bucket belongs to a key, an algorithm and a period, and limits of different sizes may share
 * it. It remembers the limit under which it was last written. Each decision uses a copy, converted
 * to its own limit; only what is written counts for later decisions.
 */
public final class ReferenceLimiter {
  private static final long MAX_PERMITS = (1L << 32) - 1; // that a store remembers

  private final Takeover takeover;
  private final Map<String, List<Model>> keys;
  private final List<Model> remembered = new ArrayList<>(); // for each limit, for all keys
  private List<Limit> limits;
  private int changes;

  /** When a change of limits is applied to the buckets. */
  public enum Takeover {
    /** All at once; buckets that no limit uses any more are deleted. */
    AT_ONCE,
    /** Likewise, and every key may have spent all of the largest limit that ever applied. */
    AT_ONCE_FOR_ALL,
    /**
     * Each when it is next written: by a grant, a refund, a correction, or a refusal that counts. A
     * read or a refusal converts it only for its own answer, and leaves it as it is. Buckets that
     * no limit uses any more stay, in case a limit uses them again.
     */
    WHEN_WRITTEN
  }

  /**
   * A limiter of {@code limits} that apply together; a change of them applies at once to all keys.
   */
  public ReferenceLimiter(List<Limit> limits) {
    this(limits, Takeover.AT_ONCE);
  }

  /** A limiter of {@code limits} that apply together. */
  public ReferenceLimiter(List<Limit> limits, Takeover takeover) {
    this(limits, takeover, new HashMap<>());
  }

  private ReferenceLimiter(List<Limit> limits, Takeover takeover, Map<String, List<Model>> keys) {
    this.limits = List.copyOf(limits);
    this.takeover = takeover;
    this.keys = keys;
    if (takeover == Takeover.AT_ONCE_FOR_ALL) {
      limits.forEach(limit -> remembered.add(Model.of(limit)));
    }
  }

  /** Another node with its own limits, on the same buckets; each converts what it finds. */
  public ReferenceLimiter beside(List<Limit> limits) {
    if (takeover != Takeover.WHEN_WRITTEN) {
      throw new IllegalStateException("one node alone takes over at once");
    }
    return new ReferenceLimiter(limits, takeover, keys);
  }

  /** The moment of a clock that counts nanoseconds since the epoch. */
  public static Fraction nanos(long epochNanos) {
    return Fraction.of(epochNanos, 1_000_000);
  }

  /** Takes {@code cost} permits at a whole millisecond. */
  public ObservedDecision check(String key, long cost, long epochMillis) {
    return check(key, cost, Fraction.of(epochMillis));
  }

  /** Takes {@code cost} permits if all limits have them. */
  public ObservedDecision check(String key, long cost, Fraction time) {
    return take(key, cost, time).observedDecision();
  }

  /** What {@link #check} would decide, without counting; a refusal does not count either. */
  public ObservedDecision peek(String key, long cost, Fraction time) {
    List<Model> models = models(key, time);
    if (models.stream().allMatch(model -> model.allows(cost, model.now(time)))) {
      Fraction delay = cost == 0 ? Fraction.ZERO : delay(models, time);
      return observed(models, cost, time, true, delay);
    }
    return observed(models, cost, time, false, Fraction.ZERO);
  }

  /**
   * Takes for the earliest moment at which all limits have the permits, if that is soon enough and
   * within the reach of reservations. A refused reservation does not count as a request.
   */
  public Receipt reserve(String key, long cost, Duration longestWait, Fraction time) {
    List<Model> models = models(key, time);
    Fraction wait = Fraction.ZERO;
    for (Model model : models) {
      Optional<Fraction> one = model.retry(cost, model.now(time));
      if (one.isEmpty()) {
        return refusal(key, cost, time);
      }
      wait = wait.max(one.get());
    }
    Fraction turn = wait.plus(cost == 0 ? Fraction.ZERO : delay(models, time.plus(wait)));
    boolean soonEnough = !turn.isAbove(Fraction.of(longestWait.toNanos(), 1_000_000));
    for (Model model : models) {
      soonEnough &= !wait.isAbove(model.reach(model.now(time)));
    }
    return soonEnough ? charge(key, cost, time, wait) : refusal(key, cost, time);
  }

  /** Takes like {@link #check}, so that it can be settled. */
  public Receipt take(String key, long cost, Fraction time) {
    return charge(key, cost, time, Fraction.ZERO);
  }

  /** Gives {@code permits} back, never above full. */
  public void refund(String key, long permits, Fraction time) {
    for (Model model : models(key, time)) {
      model.refund(permits, model.now(time));
      write(key, model);
    }
  }

  /** Deletes the key. */
  public void reset(String key) {
    limits.forEach(limit -> forget(key, limit));
  }

  /** Counts a request that another limiter refused. */
  public void reject(String key, long cost, Fraction time) {
    List<Model> models = models(key, time);
    if (models.stream().allMatch(model -> model.canEverFit(cost))) {
      countRejected(key, models, cost, time);
    }
  }

  private void countRejected(String key, List<Model> models, long cost, Fraction time) {
    models.stream().filter(Model::countsRejected).forEach(model -> force(key, model, cost, time));
  }

  private void force(String key, Model model, long cost, Fraction time) {
    model.force(cost, time);
    write(key, model);
  }

  /** Changes the limits; those of the same algorithm and period keep what was spent. */
  public void reconfigure(List<Limit> changed, Fraction time) {
    if (changed.equals(limits)) {
      return;
    }
    limits = List.copyOf(changed);
    changes++;
    if (takeover == Takeover.AT_ONCE_FOR_ALL) {
      rememberForAll();
    }
    if (takeover != Takeover.WHEN_WRITTEN) {
      keys.replaceAll((key, before) -> takenOver(before, time));
    }
  }

  /**
   * All buckets that a limit uses, as of {@code time}. A limit of no permits leaves them as found.
   */
  private List<Model> takenOver(List<Model> before, Fraction time) {
    List<Model> after = new ArrayList<>();
    for (Model found : before) {
      for (Limit limit : limits) {
        if (limit.sharesBucketsWith(found.limit)) {
          Model model = fresh(limit);
          model.makeRoomLike(found);
          if (limit.capacity() > 0) {
            if (takeover == Takeover.AT_ONCE) {
              found.forgetLarger(time);
            }
            model.goOnFrom(found, time);
            model.makeOwn(found, time);
            rememberWhatAllDo(model);
          }
          after.add(limit.capacity() > 0 ? model : found);
        }
      }
    }
    return after;
  }

  /** In a shared store, a node knows nothing of the others' limits. */
  private Model fresh(Limit limit) {
    Model model = Model.of(limit);
    if (takeover == Takeover.WHEN_WRITTEN) {
      model.makeRoomFor(MAX_PERMITS);
    }
    return model;
  }

  private void rememberForAll() {
    List<Model> before = List.copyOf(remembered);
    remembered.clear();
    for (Limit limit : limits) {
      Model model = Model.of(limit);
      for (Model other : before) {
        if (limit.sharesBucketsWith(other.limit)) {
          if (limit.capacity() > 0) {
            model.widenTo(other);
          } else {
            model = other;
          }
        }
      }
      remembered.add(model);
    }
  }

  private void rememberWhatAllDo(Model model) {
    for (Model other : remembered) {
      if (model.limit.capacity() > 0 && model.limit.equals(other.limit)) {
        model.widenTo(other);
      }
    }
  }

  private Receipt charge(String key, long cost, Fraction time, Fraction wait) {
    List<Model> models = models(key, time);
    Fraction moment = time.plus(wait);
    boolean allowed = models.stream().allMatch(model -> model.allows(cost, model.now(moment)));
    boolean neverFits = cost > 0 && !models.stream().allMatch(model -> model.canEverFit(cost));
    List<Fraction> marks = new ArrayList<>();
    Fraction delay = Fraction.ZERO;
    if (allowed && cost > 0) {
      delay = wait.plus(delay(models, moment));
      for (Model model : models) {
        marks.add(model.take(cost, moment));
        write(key, model);
      }
    } else if (!allowed && !neverFits) {
      countRejected(key, models, cost, time);
    }
    return new Receipt(key, observed(models, cost, time, allowed, delay), cost, marks);
  }

  /** The refusal of a reservation reports when the request would fit without a delay. */
  private Receipt refusal(String key, long cost, Fraction time) {
    List<Model> models = models(key, time);
    ObservedDecision observedDecision =
        ObservedDecision.together(
            false,
            Duration.ZERO,
            models.stream()
                .map(
                    model ->
                        observedLimit(model, model.now(time), model.turn(cost, model.now(time))))
                .toList());
    return new Receipt(key, observedDecision, cost, List.of());
  }

  private static Fraction delay(List<Model> models, Fraction time) {
    return models.stream()
        .map(model -> model.delay(model.now(time)))
        .max(Fraction::compareTo)
        .orElse(Fraction.ZERO);
  }

  private static ObservedDecision observed(
      List<Model> models, long cost, Fraction time, boolean allowed, Fraction delay) {
    return ObservedDecision.together(
        allowed,
        duration(delay),
        models.stream()
            .map(
                model ->
                    observedLimit(
                        model,
                        model.now(time),
                        allowed ? Optional.of(Fraction.ZERO) : model.retry(cost, model.now(time))))
            .toList());
  }

  private static ObservedDecision.ObservedLimit observedLimit(
      Model model, Fraction now, Optional<Fraction> wait) {
    return new ObservedDecision.ObservedLimit(
        model.limit,
        model.remaining(now),
        wait.map(ReferenceLimiter::duration),
        model.growth(now).map(ReferenceLimiter::duration),
        duration(model.reset(now)));
  }

  /** The buckets of {@code key} as these limits find them, to decide by. */
  private List<Model> models(String key, Fraction time) {
    return limits.stream().map(limit -> model(key, limit, time)).toList();
  }

  private Model model(String key, Limit limit, Fraction time) {
    Model model = fresh(limit);
    rememberWhatAllDo(model);
    keys.getOrDefault(key, List.of()).stream()
        .filter(found -> limit.capacity() > 0 && limit.sharesBucketsWith(found.limit))
        .findFirst()
        .ifPresent(
            found -> {
              model.makeRoomLike(found);
              boolean isRelic = model.goOnFrom(found, time);
              rememberWhatAllDo(model);
              if (isRelic) {
                write(key, model);
              }
            });
    return model;
  }

  /** Writes {@code model} for later requests. A limit of no permits has nothing to remember. */
  private void write(String key, Model model) {
    if (model.limit.capacity() > 0) {
      forget(key, model.limit);
      keys.computeIfAbsent(key, unknown -> new ArrayList<>()).add(model);
    }
  }

  private void forget(String key, Limit limit) {
    keys.computeIfPresent(
        key,
        (same, models) -> {
          List<Model> others = new ArrayList<>(models);
          others.removeIf(model -> limit.sharesBucketsWith(model.limit));
          return others;
        });
  }

  private static Duration duration(Fraction millis) {
    Fraction nanos = millis.times(1_000_000);
    if (!nanos.denominator().equals(BigInteger.ONE)) {
      throw new AssertionError(millis + " ms is not a whole number of nanoseconds");
    }
    return Duration.ofNanos(nanos.numerator().longValueExact());
  }

  /** A charge that can be corrected once. */
  public final class Receipt {
    private final int asOf = changes;
    private final String key;
    private final ObservedDecision observedDecision;
    private final long cost;
    private final List<Fraction> marks;

    Receipt(String key, ObservedDecision observedDecision, long cost, List<Fraction> marks) {
      this.key = key;
      this.observedDecision = observedDecision;
      this.cost = cost;
      this.marks = marks;
    }

    /** The decision on the charge. */
    public ObservedDecision observedDecision() {
      return observedDecision;
    }

    /**
     * Gives back what was taken beyond {@code actualCost}, or takes the rest. After a change of
     * limits nothing is given back.
     */
    public void settle(long actualCost, Fraction time) {
      if (observedDecision.allowed() && actualCost > cost) {
        models(key, time).forEach(model -> force(key, model, actualCost - cost, time));
      } else if (!marks.isEmpty() && actualCost < cost && asOf == changes) {
        List<Model> models = models(key, time);
        for (int i = 0; i < marks.size(); i++) {
          Model model = models.get(i);
          model.giveBack(marks.get(i), cost, cost - actualCost, model.now(time));
          write(key, model);
        }
      }
    }
  }
}
