package io.weir.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
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

  private static final Logger LOG = System.getLogger("io.weir.redis");

  private final AtomicBoolean waited = new AtomicBoolean();
  private final AtomicBoolean newer = new AtomicBoolean();
  private final Link link;
  private final Deadlines deadlines;
  private final Counters counters;
  private final Supplier<@Nullable Failure> doubts;

  Desk(Link link, Deadlines deadlines, Counters counters) {
    this(link, deadlines, counters, () -> null);
  }

  /**
   * @param doubts asked before anything is sent, and again before its answer is told: why it would
   *     not be believed; null if it would
   */
  Desk(Link link, Deadlines deadlines, Counters counters, Supplier<@Nullable Failure> doubts) {
    this.link = link;
    this.deadlines = deadlines;
    this.counters = counters;
    this.doubts = doubts;
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
    if (obstacle == null) {
      obstacle = doubts.get();
    }
    if (obstacle != null) {
      counters.notSent();
      call.fail(obstacle);
      return;
    }
    call.sentBy(this, gate, System.nanoTime());
    counters.sent();
    deadlines.watch(call);
    link.send(call);
  }

  /** Whether {@code key} can be asked for and written. */
  boolean isSound(byte[] key) {
    return link.gate(key).isSound();
  }

  /** Whether this thread may wait for an answer: not one by which answers come. */
  boolean mayWait() {
    boolean may = !link.isThisThread() && !deadlines.isThisThread();
    if (!may && waited.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "a blocking verb was called on a thread of the store, in a stage of async() perhaps: there"
              + " it cannot wait, and decides by on_failure; use async(), or thenApplyAsync");
    }
    return may;
  }

  /**
   * By {@link Call#answer}.
   *
   * @return why the answer must not be believed; null if it may
   */
  @Nullable Failure answered(Call call, Gate gate) {
    gate.succeeded();
    counters.answered(call.sentNanos());
    return doubts.get();
  }

  /** By {@link Call#answer}, when the deadline had passed. */
  void answeredLate() {
    counters.answeredLate();
  }

  /** By {@link Call#fail}. */
  void failed(Gate gate, Failure failure) {
    if (failure.kind() == Failure.Kind.NEWER_FORMAT && newer.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "Redis holds buckets of a newer release of Weir: they are left alone, and decided by"
              + " on_failure, until this node is of that release too");
    }
    gate.failed(failure);
    counters.failed(failure.kind());
  }
}
