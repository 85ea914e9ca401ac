package io.weir.tck;

import io.weir.Limit;
import java.util.List;
import java.util.function.Consumer;

/** Limits, and a clock that moves on their scale, from any origin. */
final class Traffic {
  private final Harness harness;
  private final Draw draw;
  private final List<Limit> limits;
  private final Walk walk;

  Traffic(Harness harness, Draw draw, List<Limit> limits) {
    this(harness, draw, limits, new Walk(draw, limits).withinDecades(1));
  }

  Traffic(Harness harness, Draw draw, List<Limit> limits, Walk walk) {
    this.harness = harness;
    this.draw = draw;
    this.limits = limits;
    this.walk = walk;
    harness.setNanos(draw.originNanos(harness));
  }

  Limit[] limits() {
    return limits.toArray(Limit[]::new);
  }

  /** Whether one of the limits counts refused requests. */
  boolean countsRejected() {
    return limits.stream()
        .anyMatch(
            limit ->
                (limit instanceof Limit.SlidingLog log && log.countRejected())
                    || (limit instanceof Limit.SlidingEpochs epochs && epochs.countRejected()));
  }

  /** Moves the clock on, or not; by fractions of a millisecond, or by years. */
  void step() {
    move(draw.oneIn(4) ? Walk::creep : Walk::step);
  }

  /** Moves the clock as far as {@code leg} moves the walk. */
  void move(Consumer<Walk> leg) {
    long before = walk.elapsedNanos();
    leg.accept(walk);
    harness.setNanos(harness.epochNanos() + walk.elapsedNanos() - before);
  }
}
