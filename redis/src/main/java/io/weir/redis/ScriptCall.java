package io.weir.redis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script and the receiver of its reply.
 *
 * <p>It ends once, by a reply or a failure, whichever comes first. A reply after the deadline is
 * dropped. The sender is notified before the receiver.
 */
abstract class ScriptCall extends Deadlines.QueueEntry {
  private static final VarHandle ENDED;

  static {
    try {
      ENDED = MethodHandles.lookup().findVarHandle(ScriptCall.class, "ended", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Script script;
  private final byte[][] keys;
  private final byte[][] args;
  private final int bytes;

  @SuppressWarnings("unused") // through ENDED
  private volatile boolean ended;

  /** Whether Redis may have received the call, and has not reported that it did nothing. */
  private volatile boolean underWay;

  // Written before the call is handed to another thread.
  private @Nullable CommandSender commandSender;
  private @Nullable CircuitBreaker circuitBreaker;
  private long sentNanos;

  /** The previous call in the stack of unsent calls; used only by the transport. */
  @Nullable ScriptCall below;

  /** A call with at least one key, all in one slot. */
  ScriptCall(Script script, byte[][] keys, byte[][] args) {
    this(script, keys, args, CallMemory.ofKey(0));
  }

  /**
   * {@link #ScriptCall(Script, byte[][], byte[][])}.
   *
   * @param bytes about how many bytes of the heap it keeps until it ends
   */
  ScriptCall(Script script, byte[][] keys, byte[][] args, int bytes) {
    this.script = script;
    this.keys = keys;
    this.args = args;
    this.bytes = bytes;
  }

  final Script script() {
    return script;
  }

  final byte[][] keys() {
    return keys;
  }

  final byte[][] args() {
    return args;
  }

  /** About how many bytes of the heap it keeps until it ends. */
  final int heldBytes() {
    return bytes;
  }

  /** Records the sender, its breaker and the time, before the call is sent. */
  final void sentBy(CommandSender commandSender, CircuitBreaker circuitBreaker, long nanos) {
    this.commandSender = commandSender;
    this.circuitBreaker = circuitBreaker;
    this.sentNanos = nanos;
  }

  /** Records only the time. */
  final void sentAt(long nanos) {
    this.sentNanos = nanos;
  }

  /** When it was sent, by {@link System#nanoTime}. */
  final long sentNanos() {
    return sentNanos;
  }

  final boolean hasEnded() {
    return ended;
  }

  /** Ends with the integers that the script returned. */
  final void complete(long[] reply) {
    if (ENDED.compareAndSet(this, false, true)) {
      RedisFailure doubt =
          commandSender == null || circuitBreaker == null
              ? null
              : commandSender.replied(this, circuitBreaker);
      if (doubt == null) {
        onReply(reply);
      } else {
        onFailure(doubt.inDoubt(true));
      }
    } else {
      if (commandSender != null) {
        commandSender.repliedLate();
      }
      onLateReply();
    }
  }

  /**
   * Records that it is being written to a connection. The record precedes the check for its end;
   * the thread that ends it does the two in reverse order. So either it is not written, or it is
   * known that it may have been.
   *
   * @return whether it is still wanted; if not, it must not be written
   */
  boolean departs() {
    underWay = true;
    return !ended;
  }

  /** Redis has reported that it did nothing. */
  void returned() {
    underWay = false;
  }

  /** Ends without a reply. The result is in doubt if Redis may have received the call. */
  final void fail(RedisFailure redisFailure) {
    if (ENDED.compareAndSet(this, false, true)) {
      if (commandSender != null && circuitBreaker != null) {
        commandSender.failed(this, circuitBreaker, redisFailure);
      }
      onFailure(redisFailure.inDoubt(underWay));
    }
  }

  /**
   * Whether {@code reply} has the form of a reply to this call. If not, replies can no longer be
   * matched to calls. The connection is closed, and all its calls fail.
   */
  boolean isReply(long[] reply) {
    return true;
  }

  /**
   * Whether {@code reply}, for a strict limiter, is valid only if all replicas have the call's
   * effect.
   */
  boolean mustBeCopied(long[] reply) {
    return true;
  }

  /** The reply has arrived. Runs on an I/O thread and must not block. */
  abstract void onReply(long[] reply);

  /** The call has failed. Runs on any thread and must not block. */
  abstract void onFailure(RedisFailure redisFailure);

  /** The reply has arrived after the call had ended. Runs on an I/O thread. */
  void onLateReply() {}
}
