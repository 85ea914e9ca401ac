package io.weir.redis;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The one place that sends: asks the shard's gate, sets the deadline, and notes how calls end.
 *
 * <p>Costs a reading of the clock, a step in a queue and a few counters a call; nothing is
 * allocated.
 */
final class Desk {
  private static final Failure TOO_SOON =
      new Failure(Failure.Kind.TIMEOUT, "asked by one who was just told of a missed deadline");

  private static final System.Logger LOG = System.getLogger("io.weir.redis");

  private final AtomicBoolean hasTold = new AtomicBoolean();
  private final Link link;
  private final Deadlines deadlines;
  private final Counters counters;

  Desk(Link link, Deadlines deadlines, Counters counters) {
    this.link = link;
    this.deadlines = deadlines;
    this.counters = counters;
  }

  /**
   * Sends {@code call}, or fails it at once if its shard cannot be asked. It ends within the
   * deadline, about. Neither blocks nor throws.
   */
  void ask(Call call) {
    if (deadlines.isThisThread()) {
      // Somebody who was told of a missed deadline asks again, and may wait for it right here: then
      // there would be nobody to end that wait.
      counters.notSent();
      call.fail(TOO_SOON);
      return;
    }
    Gate gate = link.gate(call.keys()[0]);
    @Nullable Failure obstacle = gate.obstacle();
    if (obstacle != null) {
      gate.turnedAway();
      counters.notSent();
      call.fail(obstacle);
      return;
    }
    call.sentBy(this, gate, System.nanoTime());
    counters.sent();
    deadlines.watch(call);
    link.send(call);
  }

  /**
   * Whether a caller of this thread cannot wait for an answer: it is called back by one, on the
   * thread that would have to read the next. Tells so, once.
   */
  boolean isNoPlaceToWait() {
    if (!link.isThisThread()) {
      return false;
    }
    if (!hasTold.getAndSet(true)) {
      LOG.log(
          Level.WARNING,
          "somebody who was called back by Redis's thread waits there for another decision: such are"
              + " made by on_failure; use async() there, or go on elsewhere by thenApplyAsync");
    }
    return true;
  }

  /** By {@link Call#answer}. */
  void answered(Call call, Gate gate) {
    gate.succeeded();
    counters.answered(call.sentNanos());
  }

  /** By {@link Call#answer}, when the deadline had passed. */
  void answeredLate() {
    counters.answeredLate();
  }

  /** By {@link Call#fail}. */
  void failed(Gate gate, Failure failure) {
    gate.failed(failure);
    counters.failed(failure.kind());
  }
}
