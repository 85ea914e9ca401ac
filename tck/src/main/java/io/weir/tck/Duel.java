package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.tck.model.Answer;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ReferenceLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A limiter and its model, asked the same things: every answer must be equal. */
final class Duel {
  private static final int SHOWN_STEPS = 40;

  private final Harness harness;
  private List<Limit> limits;
  private final RateLimiter limiter;
  private final ReferenceLimiter model;
  private final List<String> history = new ArrayList<>();

  Duel(Harness harness, List<Limit> limits) {
    this(harness, limits, harness.limiter(limits.toArray(Limit[]::new)));
  }

  Duel(Harness harness, List<Limit> limits, RateLimiter limiter) {
    this.harness = harness;
    this.limits = limits;
    this.limiter = limiter;
    this.model = new ReferenceLimiter(limits, takeover(harness));
  }

  private static ReferenceLimiter.Takeover takeover(Harness harness) {
    return harness.can(Harness.Ability.PROMPT_TAKEOVER)
        ? ReferenceLimiter.Takeover.AT_ONCE
        : ReferenceLimiter.Takeover.WHEN_ASKED_FOR;
  }

  RateLimiter limiter() {
    return limiter;
  }

  List<Limit> limits() {
    return limits;
  }

  Answer check(String key, long cost) {
    note("check", key, cost);
    return agree(Answer.of(limiter.check(key, cost)), model.check(key, cost, time()));
  }

  void tryAcquire(String key, long cost) {
    note("tryAcquire", key, cost);
    boolean acquired = limiter.tryAcquire(key, cost);
    assertThat(acquired).as(this::story).isEqualTo(model.check(key, cost, time()).allowed());
  }

  Answer checkAt(String key, long cost, long epochMillis) {
    history.add("checkAt " + key + " cost " + cost + " at " + epochMillis + " ms");
    return agree(
        Answer.of(harness.checkAt(limiter, key, cost, epochMillis)),
        model.check(key, cost, epochMillis));
  }

  Answer peek(String key, long cost) {
    note("peek", key, cost);
    return agree(Answer.of(limiter.peek(key, cost)), model.peek(key, cost, time()));
  }

  Place reserve(String key, long cost, Duration longestWait) {
    note("reserve within " + longestWait, key, cost);
    Reservation reservation = limiter.reserve(key, cost, longestWait);
    ReferenceLimiter.Receipt receipt = model.reserve(key, cost, longestWait, time());
    agree(Answer.of(reservation.decision()), receipt.answer());
    return new Place(key, cost, reservation, receipt);
  }

  void refund(String key, long permits) {
    note("refund", key, permits);
    limiter.refund(key, permits);
    model.refund(key, permits, time());
  }

  void reset(String key) {
    note("reset", key, 0);
    limiter.reset(key);
    model.reset(key);
  }

  void reconfigure(List<Limit> changed) {
    note("reconfigure to " + changed, "all", 0);
    limits = changed;
    limiter.reconfigure(changed.get(0), changed.subList(1, changed.size()).toArray(Limit[]::new));
    model.reconfigure(changed, time());
  }

  private Answer agree(Answer actual, Answer expected) {
    assertThat(actual).as(this::story).isEqualTo(expected);
    return expected;
  }

  private Fraction time() {
    return ReferenceLimiter.nanos(harness.epochNanos());
  }

  private void note(String verb, String key, long cost) {
    history.add(verb + " " + key + " cost " + cost + " at " + harness.epochNanos() + " ns");
  }

  private String story() {
    int from = Math.max(0, history.size() - SHOWN_STEPS);
    return limits
        + (from > 0 ? ", after " + from + " more steps:\n  " : ":\n  ")
        + String.join("\n  ", history.subList(from, history.size()))
        + "\n";
  }

  /** A reservation, and the model's. */
  final class Place {
    private final String key;
    private final long cost;
    private final Reservation reservation;
    private final ReferenceLimiter.Receipt receipt;

    Place(String key, long cost, Reservation reservation, ReferenceLimiter.Receipt receipt) {
      this.key = key;
      this.cost = cost;
      this.reservation = reservation;
      this.receipt = receipt;
    }

    long cost() {
      return cost;
    }

    Answer answer() {
      return receipt.answer();
    }

    /** Corrects the cost, once. */
    void settle(long actualCost) {
      note("settle to " + actualCost, key, cost);
      reservation.settle(actualCost);
      receipt.settle(actualCost, time());
    }
  }
}
