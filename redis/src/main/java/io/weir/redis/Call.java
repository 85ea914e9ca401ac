package io.weir.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One call of a script, and who waits for its reply.
 *
 * <p>It ends once, by the reply or by a failure, whichever comes first: a reply that comes after
 * the deadline is dropped.
 */
abstract class Call {
  private final Script script;
  private final byte[][] keys;
  private final byte[][] args;
  private final AtomicBoolean ended = new AtomicBoolean();

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

  final boolean hasEnded() {
    return ended.get();
  }

  /** Ends with the integers that the script returned. */
  final void answer(long[] reply) {
    if (ended.compareAndSet(false, true)) {
      onAnswer(reply);
    }
  }

  /** Ends without a reply. */
  final void fail(Failure failure) {
    if (ended.compareAndSet(false, true)) {
      onFailure(failure);
    }
  }

  /** The reply has come. Runs on an I/O thread: must not block. */
  abstract void onAnswer(long[] reply);

  /** No reply has come, or an error. Runs on any thread: must not block. */
  abstract void onFailure(Failure failure);
}
