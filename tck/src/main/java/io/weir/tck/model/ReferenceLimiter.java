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
 * What every limiter must answer: several limits on each key, all or nothing.
 *
 * <p>Times are exact milliseconds since the epoch. A reset or a refund knows nothing of receipts:
 * one that is settled after it gives back what it would have given back without it.
 *
 * <p>A bucket belongs to a key and to an algorithm and period, which limits of different sizes may
 * share; it remembers under which of them it was last touched.
 */
public final class ReferenceLimiter {
  private final Takeover takeover;
  private final Map<String, List<Model>> keys = new HashMap<>();
  private List<Limit> limits;
  private int changes;

  /** When a change of limits reaches the buckets. */
  public enum Takeover {
    /** All at once; those that no limit uses any more are gone. */
    AT_ONCE,
    /**
     * Each when it is next asked for, by whatever verb, and only if it was last touched under
     * another limit. Those that no limit uses any more stay, for one that does again.
     */
    WHEN_ASKED_FOR
  }

  /** A limiter of {@code limits} that hold together; a change of them holds at once for all. */
  public ReferenceLimiter(List<Limit> limits) {
    this(limits, Takeover.AT_ONCE);
  }

  /** A limiter of {@code limits} that hold together. */
  public ReferenceLimiter(List<Limit> limits, Takeover takeover) {
    this.limits = List.copyOf(limits);
    this.takeover = takeover;
  }

  /** The moment of a clock that counts nanoseconds since the epoch. */
  public static Fraction nanos(long epochNanos) {
    return Fraction.of(epochNanos, 1_000_000);
  }

  /** Takes {@code cost} permits at a whole millisecond. */
  public Answer check(String key, long cost, long epochMillis) {
    return check(key, cost, Fraction.of(epochMillis));
  }

  /** Takes {@code cost} permits if all limits have them. */
  public Answer check(String key, long cost, Fraction time) {
    return take(key, cost, time).answer();
  }

  /** What {@link #check} would answer if it did not count; not even a refusal is. */
  public Answer peek(String key, long cost, Fraction time) {
    List<Model> models = copyOf(models(key, time));
    if (models.stream().allMatch(model -> model.allows(cost, model.now(time)))) {
      Fraction delay = cost == 0 ? Fraction.ZERO : delay(models, time);
      return answer(models, cost, time, true, delay);
    }
    return answer(models, cost, time, false, Fraction.ZERO);
  }

  /**
   * Takes for the earliest moment at which all limits have them, if that is soon enough and as near
   * as reservations reach. A reservation that is refused is no request, and counts nowhere.
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
    models(key, time).forEach(model -> model.refund(permits, model.now(time)));
  }

  /** Forgets the key. */
  public void reset(String key) {
    keys.getOrDefault(key, List.of()).stream()
        .filter(model -> limits.stream().anyMatch(model.limit::sharesBucketsWith))
        .forEach(Model::clear);
  }

  /** Notes a request that somebody else refused. */
  public void reject(String key, long cost, Fraction time) {
    List<Model> models = models(key, time);
    if (models.stream().allMatch(model -> model.canEverFit(cost))) {
      models.stream().filter(Model::countsRejected).forEach(model -> model.force(cost, time));
    }
  }

  /** Changes the limits; those of the same algorithm and period keep what was spent. */
  public void reconfigure(List<Limit> changed, Fraction time) {
    if (changed.equals(limits)) {
      return;
    }
    limits = List.copyOf(changed);
    changes++;
    if (takeover == Takeover.AT_ONCE) {
      keys.replaceAll(
          (key, before) -> limits.stream().map(limit -> inherit(limit, before, time)).toList());
    }
  }

  private static Model inherit(Limit limit, List<Model> before, Fraction time) {
    Model model = Model.of(limit);
    before.stream()
        .filter(old -> old.limit.sharesBucketsWith(limit))
        .forEach(old -> model.inherit(old, time));
    return model;
  }

  private Receipt charge(String key, long cost, Fraction time, Fraction wait) {
    List<Model> models = models(key, time);
    Fraction moment = time.plus(wait);
    boolean allowed = models.stream().allMatch(model -> model.allows(cost, model.now(moment)));
    boolean neverFits = cost > 0 && !models.stream().allMatch(model -> model.canEverFit(cost));
    List<Model.Taken> taken = new ArrayList<>();
    Fraction delay = Fraction.ZERO;
    if (allowed && cost > 0) {
      delay = wait.plus(delay(models, moment));
      models.forEach(model -> taken.add(model.take(cost, moment)));
    } else if (!allowed && !neverFits) {
      models.stream().filter(Model::countsRejected).forEach(model -> model.force(cost, time));
    }
    return new Receipt(key, answer(models, cost, time, allowed, delay), cost, models, taken);
  }

  /** Who cannot wait for a turn is told when there is one that need not be waited for. */
  private Receipt refusal(String key, long cost, Fraction time) {
    List<Model> models = models(key, time);
    Answer answer =
        Answer.together(
            false,
            Duration.ZERO,
            models.stream()
                .map(model -> standing(model, model.now(time), model.turn(cost, model.now(time))))
                .toList());
    return new Receipt(key, answer, cost, models, List.of());
  }

  private static Fraction delay(List<Model> models, Fraction time) {
    return models.stream()
        .map(model -> model.delay(model.now(time)))
        .max(Fraction::compareTo)
        .orElse(Fraction.ZERO);
  }

  private static Answer answer(
      List<Model> models, long cost, Fraction time, boolean allowed, Fraction delay) {
    return Answer.together(
        allowed,
        duration(delay),
        models.stream()
            .map(
                model ->
                    standing(
                        model,
                        model.now(time),
                        allowed ? Optional.of(Fraction.ZERO) : model.retry(cost, model.now(time))))
            .toList());
  }

  private static Answer.OfLimit standing(Model model, Fraction now, Optional<Fraction> wait) {
    return new Answer.OfLimit(
        model.limit,
        model.remaining(now),
        wait.map(ReferenceLimiter::duration),
        model.growth(now).map(ReferenceLimiter::duration),
        duration(model.reset(now)));
  }

  private List<Model> models(String key, Fraction time) {
    List<Model> before = keys.getOrDefault(key, List.of());
    List<Model> models = limits.stream().map(limit -> model(limit, before, time)).toList();
    List<Model> after = new ArrayList<>(models);
    before.stream()
        .filter(model -> limits.stream().noneMatch(model.limit::sharesBucketsWith))
        .forEach(after::add);
    keys.put(key, after);
    models.forEach(model -> model.mend(time));
    return models;
  }

  private static Model model(Limit limit, List<Model> before, Fraction time) {
    return before.stream()
        .filter(model -> model.limit.equals(limit))
        .findFirst()
        .orElseGet(() -> inherit(limit, before, time));
  }

  private static List<Model> copyOf(List<Model> models) {
    return models.stream().map(Model::copy).toList();
  }

  private static Duration duration(Fraction millis) {
    Fraction nanos = millis.times(1_000_000);
    if (!nanos.denominator().equals(BigInteger.ONE)) {
      throw new AssertionError(millis + " ms is no whole number of nanoseconds");
    }
    return Duration.ofNanos(nanos.numerator().longValueExact());
  }

  /** A charge that can be corrected once. */
  public final class Receipt {
    private final int asOf = changes;
    private final String key;
    private final Answer answer;
    private final long cost;
    private final List<Model> models;
    private final List<Model.Taken> taken;

    Receipt(String key, Answer answer, long cost, List<Model> models, List<Model.Taken> taken) {
      this.key = key;
      this.answer = answer;
      this.cost = cost;
      this.models = models;
      this.taken = taken;
    }

    /** The answer to the charge. */
    public Answer answer() {
      return answer;
    }

    /**
     * Gives back what was taken beyond {@code actualCost}, or takes what was missing. After a
     * change of limits there is nobody left to give back to.
     */
    public void settle(long actualCost, Fraction time) {
      if (answer.allowed() && actualCost > cost) {
        models(key, time).forEach(model -> model.force(actualCost - cost, time));
      } else if (answer.allowed() && actualCost < cost && asOf == changes) {
        models(key, time);
        for (int i = 0; i < taken.size(); i++) {
          taken.get(i).giveBack(cost - actualCost, models.get(i).now(time));
        }
      }
    }
  }
}
