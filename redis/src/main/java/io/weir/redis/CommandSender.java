package io.weir.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The only sender of calls: checks the shard's breaker, sets the deadline, and records results.
 * Thread-safe.
 *
 * <p>Costs a clock read, a queue operation and a few counters per call, without allocation. Calls
 * in flight are bounded by {@link CallMemory}.
 */
final class CommandSender {
  private static final RedisFailure TOO_SOON =
      new RedisFailure(RedisFailure.Kind.TIMEOUT, "called from the callback of a missed deadline");

  private static final RedisFailure NO_MEMORY =
      new RedisFailure(
          RedisFailure.Kind.OTHER, "calls in flight to Redis use up their share of the heap");

  private static final Logger LOG = System.getLogger("io.weir.redis");

  private final AtomicBoolean waited = new AtomicBoolean();
  private final AtomicBoolean newer = new AtomicBoolean();
  private final AtomicBoolean full = new AtomicBoolean();
  private final RedisTransport redisTransport;
  private final Deadlines deadlines;
  private final RedisCounters redisCounters;
  private final Supplier<@Nullable RedisFailure> doubts;
  private final CallMemory callMemory;

  CommandSender(RedisTransport redisTransport, Deadlines deadlines, RedisCounters redisCounters) {
    this(redisTransport, deadlines, redisCounters, () -> null);
  }

  /**
   * @param doubts checked before a call is sent and again before its reply is released: why the
   *     reply would be unreliable; null if it is reliable
   */
  CommandSender(
      RedisTransport redisTransport,
      Deadlines deadlines,
      RedisCounters redisCounters,
      Supplier<@Nullable RedisFailure> doubts) {
    this(redisTransport, deadlines, redisCounters, doubts, CallMemory.SHARED);
  }

  /** With another bound of the calls in flight. */
  CommandSender(
      RedisTransport redisTransport,
      Deadlines deadlines,
      RedisCounters redisCounters,
      Supplier<@Nullable RedisFailure> doubts,
      CallMemory callMemory) {
    this.redisTransport = redisTransport;
    this.deadlines = deadlines;
    this.redisCounters = redisCounters;
    this.doubts = doubts;
    this.callMemory = callMemory;
  }

  /**
   * Sends {@code scriptCall}, or fails it at once if its shard cannot be called or there is no
   * memory for more calls. It ends at about the deadline. Never blocks or throws.
   */
  void send(ScriptCall scriptCall) {
    if (deadlines.isThisThread()) {
      // Called from the callback of a missed deadline, which may wait for this call. The thread
      // that would end the wait would then be blocked.
      redisCounters.notSent();
      scriptCall.fail(TOO_SOON);
      return;
    }
    CircuitBreaker circuitBreaker = redisTransport.breaker(scriptCall.keys()[0]);
    @Nullable RedisFailure obstacle = circuitBreaker.obstacle();
    if (obstacle == null) {
      obstacle = doubts.get();
    }
    if (obstacle != null) {
      redisCounters.notSent();
      scriptCall.fail(obstacle);
      return;
    }
    if (!callMemory.keep(scriptCall.heldBytes())) {
      shed(scriptCall);
      return;
    }
    scriptCall.sentBy(this, circuitBreaker, System.nanoTime());
    redisCounters.sent();
    deadlines.watch(scriptCall);
    redisTransport.send(scriptCall);
  }

  private void shed(ScriptCall scriptCall) {
    redisCounters.shed();
    if (full.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "calls in flight to Redis use up their share of the heap: further ones are decided by"
              + " on_failure; give the process more heap (-Xmx), or see who sends many long keys"
              + " (weir_store_shed_total counts such calls)");
    }
    scriptCall.fail(NO_MEMORY);
  }

  /** Whether {@code key} can be read and written. */
  boolean isSound(byte[] key) {
    return redisTransport.breaker(key).isSound();
  }

  /** Whether this thread may wait for a reply; threads that deliver replies may not. */
  boolean mayWait() {
    boolean may = !redisTransport.isThisThread() && !deadlines.isThisThread();
    if (!may && waited.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "a blocking verb was called on a thread of the store, in a stage of async() perhaps: there"
              + " it cannot wait, and decides by on_failure; use async(), or thenApplyAsync");
    }
    return may;
  }

  /**
   * Called by {@link ScriptCall#complete}.
   *
   * @return why the reply is unreliable; null if it is reliable
   */
  @Nullable RedisFailure replied(ScriptCall scriptCall, CircuitBreaker circuitBreaker) {
    callMemory.release(scriptCall.heldBytes());
    circuitBreaker.succeeded();
    redisCounters.replied(scriptCall.sentNanos());
    return doubts.get();
  }

  /** Called by {@link ScriptCall#complete} after the deadline. */
  void repliedLate() {
    redisCounters.repliedLate();
  }

  /** Called by {@link ScriptCall#fail}. */
  void failed(ScriptCall scriptCall, CircuitBreaker circuitBreaker, RedisFailure redisFailure) {
    callMemory.release(scriptCall.heldBytes());
    if (redisFailure.kind() == RedisFailure.Kind.NEWER_FORMAT && newer.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "Redis holds buckets of a newer release of Weir: they are left alone, and decided by"
              + " on_failure, until this node is of that release too");
    }
    circuitBreaker.failed(redisFailure);
    redisCounters.failed(redisFailure.kind());
  }
}
