package io.weir.tck;

import io.weir.Limit;
import io.weir.tck.model.Answer;
import java.time.Duration;
import java.util.List;

/** A random walk forward in time, on the scale of some limits, with an idle decade now and then. */
final class Walk {
  private static final long DECADE_NANOS = Duration.ofDays(3653).toNanos();

  private final Draw draw;
  private final List<Limit> limits;
  private long farthestNanos = 6 * DECADE_NANOS;
  private long elapsedNanos;

  Walk(Draw draw, List<Limit> limits) {
    this.draw = draw;
    this.limits = limits;
  }

  /**
   * The same walk, but not as far: reservations reach 50 years further, and a limiter can represent
   * 69 years.
   */
  Walk withinDecades(int decades) {
    farthestNanos = decades * DECADE_NANOS;
    return this;
  }

  /** How far it has come. */
  long elapsedNanos() {
    return elapsedNanos;
  }

  /** Moves forward; often to a time at which {@code last} announced a change. */
  void step(Answer last) {
    if (draw.oneIn(5) && last.retryAfter().isPresent()) {
      go(last.retryAfter().get().toNanos() - draw.between(0, 1) * 1_000_000);
    } else if (draw.oneIn(8)) {
      go(last.limits().get(0).growsAfter().orElse(Duration.ZERO).toNanos());
    } else if (draw.oneIn(10)) {
      go(last.limits().get(0).resetAfter().toNanos() - draw.between(0, 1) * 1_000_000);
    } else {
      step();
    }
  }

  /** Moves forward. */
  void step() {
    go(draw.oneIn(50) ? DECADE_NANOS : draw.stepNanos(draw.of(limits)));
  }

  /** Moves back, but not before the start. */
  void back() {
    long nanos = draw.oneIn(3) ? draw.between(0, 3_000_000) : 4 * draw.stepNanos(draw.of(limits));
    elapsedNanos = Math.max(0, elapsedNanos - Math.min(Math.max(0, nanos), elapsedNanos));
  }

  /** Moves forward by fractions of a millisecond. */
  void creep() {
    go(draw.between(0, 2_000_000));
  }

  private void go(long nanos) {
    if (nanos > 0 && nanos <= farthestNanos - elapsedNanos) {
      elapsedNanos += nanos;
    }
  }
}
