package io.weir.tck;

import io.weir.Limit;
import java.util.List;
import java.util.function.Consumer;

/** Limits, and a clock that moves on their scale, from any origin. */
final class Traffic {
  private final Harness harness;
  private final InputGenerator inputGenerator;
  private final List<Limit> limits;
  private final TimeWalk timeWalk;

  Traffic(Harness harness, InputGenerator inputGenerator, List<Limit> limits) {
    this(harness, inputGenerator, limits, new TimeWalk(inputGenerator, limits).withinDecades(1));
  }

  Traffic(Harness harness, InputGenerator inputGenerator, List<Limit> limits, TimeWalk timeWalk) {
    this.harness = harness;
    this.inputGenerator = inputGenerator;
    this.limits = limits;
    this.timeWalk = timeWalk;
    harness.setNanos(inputGenerator.originNanos(harness));
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
    move(inputGenerator.oneIn(4) ? TimeWalk::creep : TimeWalk::step);
  }

  /** Moves the clock as far as {@code leg} moves the walk. */
  void move(Consumer<TimeWalk> leg) {
    long before = timeWalk.elapsedNanos();
    leg.accept(timeWalk);
    harness.setNanos(harness.epochNanos() + timeWalk.elapsedNanos() - before);
  }
}
