package io.weir.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The only sender of calls: checks the shard's gate, sets the deadline, and records results.
 * Thread-safe.
 *
 * <p>Costs a clock read, a queue operation and a few counters per call, without allocation.
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
   * @param doubts checked before a call is sent and again before its answer is released: why the
   *     answer would be unreliable; null if it is reliable
   */
  Desk(Link link, Deadlines deadlines, Counters counters, Supplier<@Nullable Failure> doubts) {
    this.link = link;
    this.deadlines = deadlines;
    this.counters = counters;
    this.doubts = doubts;
  }

  /**
   * Sends {@code call}, or fails it at once if its shard cannot be called. It ends at about the
   * deadline. Never blocks or throws.
   */
  void ask(Call call) {
    if (deadlines.isThisThread()) {
      // Called from the callback of a missed deadline, which may wait for this call. The thread
      // that would end the wait would then be blocked.
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

  /** Whether {@code key} can be read and written. */
  boolean isSound(byte[] key) {
    return link.gate(key).isSound();
  }

  /** Whether this thread may wait for an answer; threads that deliver answers may not. */
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
   * Called by {@link Call#answer}.
   *
   * @return why the answer is unreliable; null if it is reliable
   */
  @Nullable Failure answered(Call call, Gate gate) {
    gate.succeeded();
    counters.answered(call.sentNanos());
    return doubts.get();
  }

  /** Called by {@link Call#answer} after the deadline. */
  void answeredLate() {
    counters.answeredLate();
  }

  /** Called by {@link Call#fail}. */
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
