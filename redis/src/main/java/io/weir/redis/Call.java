package io.weir.redis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script, and who waits for its reply.
 *
 * <p>It ends once, by the reply or by a failure, whichever comes first: a reply that comes after
 * the deadline is dropped. The desk that sent it is told before the one who waits.
 */
abstract class Call extends Deadlines.Place {
  private static final VarHandle ENDED;

  static {
    try {
      ENDED = MethodHandles.lookup().findVarHandle(Call.class, "ended", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Script script;
  private final byte[][] keys;
  private final byte[][] args;

  @SuppressWarnings("unused") // by ENDED
  private volatile boolean ended;

  /** Whether Redis may have got it, and has not said that it did nothing. */
  private volatile boolean underWay;

  // Written before the call is handed to another thread.
  private @Nullable Desk desk;
  private @Nullable Gate gate;
  private long sentNanos;

  /** The call that was waiting to be sent when this one came; the link's own. */
  @Nullable Call below;

  /** A call with at least one key, all of one slot. */
  Call(Script script, byte[][] keys, byte[][] args) {
    this.script = script;
    this.keys = keys;
    this.args = args;
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

  /** Notes who sends it through which gate, and when: before it is sent. */
  final void sentBy(Desk desk, Gate gate, long nanos) {
    this.desk = desk;
    this.gate = gate;
    this.sentNanos = nanos;
  }

  /** Notes only when it is sent. */
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
  final void answer(long[] reply) {
    if (ENDED.compareAndSet(this, false, true)) {
      Failure doubt = desk == null || gate == null ? null : desk.answered(this, gate);
      if (doubt == null) {
        onAnswer(reply);
      } else {
        onFailure(doubt.inDoubt(true));
      }
    } else {
      if (desk != null) {
        desk.answeredLate();
      }
      onLateAnswer();
    }
  }

  /**
   * Notes that it is written to a connection from here on. The note comes before the look whether
   * it has ended; who ends it looks the other way round. So either it is not written, or it is
   * known that it may have been.
   *
   * @return whether somebody still waits for it; if not, it must not be written
   */
  boolean departs() {
    underWay = true;
    return !ended;
  }

  /** Redis has said that it did nothing. */
  void returned() {
    underWay = false;
  }

  /** Ends without a reply. It is in doubt whether Redis has done it if it may have got it. */
  final void fail(Failure failure) {
    if (ENDED.compareAndSet(this, false, true)) {
      if (desk != null && gate != null) {
        desk.failed(gate, failure);
      }
      onFailure(failure.inDoubt(underWay));
    }
  }

  /**
   * Whether {@code reply} can be one to this call. If not, nobody knows any more which reply is
   * whose: the connection is given up, and all who wait on it are told so.
   */
  boolean isReply(long[] reply) {
    return true;
  }

  /**
   * Whether {@code reply}, of a strict limiter, holds only if all replicas have what the call did.
   */
  boolean mustBeCopied(long[] reply) {
    return true;
  }

  /** The reply has come. Runs on an I/O thread: must not block. */
  abstract void onAnswer(long[] reply);

  /** No reply has come, or an error. Runs on any thread: must not block. */
  abstract void onFailure(Failure failure);

  /** The reply has come after all, when the call had ended. Runs on an I/O thread. */
  void onLateAnswer() {}
}
