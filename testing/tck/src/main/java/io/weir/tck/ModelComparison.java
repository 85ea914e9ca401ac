package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ObservedDecision;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A limiter and its model with the same requests: every decision must be equal.
 *
 * <p>An in-memory store remembers the largest limit of a reload for all keys together, and forgets
 * it when no key needs it any more. So a bucket may stay in debt for longer than in a model that
 * remembers the limit for each key, but no longer than in one that never forgets. Where these two
 * models differ, the decision must lie between them; the comparison ends there.
 */
final class ModelComparison {
  private static final int SHOWN_STEPS = 40;

  private final Harness harness;
  private List<Limit> limits;
  private final RateLimiter limiter;
  private final List<ReferenceLimiter> models; // from the shortest debt to the longest
  private boolean isOver;
  private final List<String> history = new ArrayList<>();

  ModelComparison(Harness harness, List<Limit> limits) {
    this(harness, limits, harness.limiter(limits.toArray(Limit[]::new)));
  }

  ModelComparison(Harness harness, List<Limit> limits, RateLimiter limiter) {
    this.harness = harness;
    this.limits = limits;
    this.limiter = limiter;
    List<Takeover> takeovers =
        harness.can(Harness.Ability.PROMPT_TAKEOVER)
            ? List.of(Takeover.AT_ONCE, Takeover.AT_ONCE_FOR_ALL)
            : List.of(Takeover.WHEN_WRITTEN);
    this.models =
        takeovers.stream().map(takeover -> new ReferenceLimiter(limits, takeover)).toList();
  }

  RateLimiter limiter() {
    return limiter;
  }

  List<Limit> limits() {
    return limits;
  }

  ObservedDecision check(String key, long cost) {
    note("check", key, cost);
    return agree(
        ObservedDecision.of(limiter.check(key, cost)), model -> model.check(key, cost, time()));
  }

  void tryAcquire(String key, long cost) {
    note("tryAcquire", key, cost);
    boolean acquired = limiter.tryAcquire(key, cost);
    List<Boolean> expected =
        models.stream().map(model -> model.check(key, cost, time()).allowed()).distinct().toList();
    isOver |= expected.size() > 1;
    if (!isOver) {
      assertThat(acquired).as(this::story).isEqualTo(expected.get(0));
    }
  }

  ObservedDecision checkAt(String key, long cost, long epochMillis) {
    history.add("checkAt " + key + " cost " + cost + " at " + epochMillis + " ms");
    return agree(
        ObservedDecision.of(harness.checkAt(limiter, key, cost, epochMillis)),
        model -> model.check(key, cost, epochMillis));
  }

  ObservedDecision peek(String key, long cost) {
    note("peek", key, cost);
    return agree(
        ObservedDecision.of(limiter.peek(key, cost)), model -> model.peek(key, cost, time()));
  }

  PairedReservation reserve(String key, long cost, Duration longestWait) {
    note("reserve within " + longestWait, key, cost);
    Reservation reservation = limiter.reserve(key, cost, longestWait);
    List<ReferenceLimiter.Receipt> receipts =
        models.stream().map(model -> model.reserve(key, cost, longestWait, time())).toList();
    agree(
        ObservedDecision.of(reservation.decision()),
        receipts.stream().map(ReferenceLimiter.Receipt::observedDecision).toList());
    return new PairedReservation(key, cost, reservation, receipts);
  }

  void refund(String key, long permits) {
    note("refund", key, permits);
    limiter.refund(key, permits);
    models.forEach(model -> model.refund(key, permits, time()));
  }

  void reset(String key) {
    note("reset", key, 0);
    limiter.reset(key);
    models.forEach(model -> model.reset(key));
  }

  void reconfigure(List<Limit> changed) {
    note("reconfigure to " + changed, "all", 0);
    limits = changed;
    limiter.reconfigure(changed.get(0), changed.subList(1, changed.size()).toArray(Limit[]::new));
    models.forEach(model -> model.reconfigure(changed, time()));
  }

  private ObservedDecision agree(
      ObservedDecision actual, Function<ReferenceLimiter, ObservedDecision> expected) {
    return agree(actual, models.stream().map(expected).toList());
  }

  private ObservedDecision agree(ObservedDecision actual, List<ObservedDecision> expected) {
    ObservedDecision shortest = expected.get(0);
    ObservedDecision longest = expected.get(expected.size() - 1);
    if (!isOver && shortest.equals(longest)) {
      assertThat(actual).as(this::story).isEqualTo(shortest);
    } else if (!isOver) {
      isOver = true;
      boolean isCharged = shortest.allowed() == longest.allowed(); // by both, or by neither
      for (int i = 0; isCharged && i < limits.size(); i++) {
        liesBetween(shortest.limits().get(i), longest.limits().get(i), actual.limits().get(i));
      }
    }
    return shortest;
  }

  private void liesBetween(
      ObservedDecision.ObservedLimit shortest,
      ObservedDecision.ObservedLimit longest,
      ObservedDecision.ObservedLimit actual) {
    assertThat(actual.remaining())
        .as(this::story)
        .isBetween(longest.remaining(), shortest.remaining());
    // A log that keeps more has an older entry, which expires sooner.
    boolean isLater = longest.resetAfter().compareTo(shortest.resetAfter()) >= 0;
    assertThat(actual.resetAfter())
        .as(this::story)
        .isBetween(
            (isLater ? shortest : longest).resetAfter(),
            (isLater ? longest : shortest).resetAfter());
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

  /** A reservation, and those of the models. */
  final class PairedReservation {
    private final String key;
    private final long cost;
    private final Reservation reservation;
    private final List<ReferenceLimiter.Receipt> receipts;

    PairedReservation(
        String key, long cost, Reservation reservation, List<ReferenceLimiter.Receipt> receipts) {
      this.key = key;
      this.cost = cost;
      this.reservation = reservation;
      this.receipts = receipts;
    }

    long cost() {
      return cost;
    }

    ObservedDecision observedDecision() {
      return receipts.get(0).observedDecision();
    }

    /** Corrects the cost, once. */
    void settle(long actualCost) {
      note("settle to " + actualCost, key, cost);
      reservation.settle(actualCost);
      receipts.forEach(receipt -> receipt.settle(actualCost, time()));
    }
  }
}
