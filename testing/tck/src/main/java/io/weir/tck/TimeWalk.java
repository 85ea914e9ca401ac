package io.weir.tck;

import io.weir.Limit;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.List;

/** A random walk forward in time, on the scale of some limits, with an idle decade now and then. */
final class TimeWalk {
  private static final long DECADE_NANOS = Duration.ofDays(3653).toNanos();

  private final InputGenerator inputGenerator;
  private final List<Limit> limits;
  private long farthestNanos = 6 * DECADE_NANOS;
  private long elapsedNanos;

  TimeWalk(InputGenerator inputGenerator, List<Limit> limits) {
    this.inputGenerator = inputGenerator;
    this.limits = limits;
  }

  /**
   * The same walk, but not as far: reservations reach 50 years further, and a limiter can represent
   * 69 years.
   */
  TimeWalk withinDecades(int decades) {
    farthestNanos = decades * DECADE_NANOS;
    return this;
  }

  /** How far it has come. */
  long elapsedNanos() {
    return elapsedNanos;
  }

  /** Moves forward; often to a time at which {@code last} announced a change. */
  void step(ObservedDecision last) {
    if (inputGenerator.oneIn(5) && last.retryAfter().isPresent()) {
      go(last.retryAfter().get().toNanos() - inputGenerator.between(0, 1) * 1_000_000);
    } else if (inputGenerator.oneIn(8)) {
      go(last.limits().get(0).growsAfter().orElse(Duration.ZERO).toNanos());
    } else if (inputGenerator.oneIn(10)) {
      go(last.limits().get(0).resetAfter().toNanos() - inputGenerator.between(0, 1) * 1_000_000);
    } else {
      step();
    }
  }

  /** Moves forward. */
  void step() {
    go(
        inputGenerator.oneIn(50)
            ? DECADE_NANOS
            : inputGenerator.stepNanos(inputGenerator.of(limits)));
  }

  /** Moves back, but not before the start. */
  void back() {
    long nanos =
        inputGenerator.oneIn(3)
            ? inputGenerator.between(0, 3_000_000)
            : 4 * inputGenerator.stepNanos(inputGenerator.of(limits));
    elapsedNanos = Math.max(0, elapsedNanos - Math.min(Math.max(0, nanos), elapsedNanos));
  }

  /** Moves forward by fractions of a millisecond. */
  void creep() {
    go(inputGenerator.between(0, 2_000_000));
  }

  private void go(long nanos) {
    if (nanos > 0 && nanos <= farthestNanos - elapsedNanos) {
      elapsedNanos += nanos;
    }
  }
}
