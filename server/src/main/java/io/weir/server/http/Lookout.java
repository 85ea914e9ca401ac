package io.weir.server.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an eye on what has been begun on one event loop and not ended. Most of it ends at once: so
 * nothing gets a timer of its own, but all that is open is looked through ten times a second.
 */
final class Lookout implements Runnable {
  private static final long ROUND_MILLIS = 100;

  private static final FastThreadLocal<Lookout> HERE =
      new FastThreadLocal<>() {
        @Override
        protected Lookout initialValue() {
          return new Lookout(ThreadExecutorMap.currentExecutor());
        }
      };

  private final @Nullable EventExecutor loop;
  private @Nullable Unfinished first;
  private long round;
  private boolean isDue;

  private Lookout(@Nullable EventExecutor loop) {
    this.loop = loop;
  }

  /** That of this event loop. */
  static Lookout here() {
    return HERE.get();
  }

  /** Watches something until {@link #forget}; it is told when so much time has passed. */
  void watch(Unfinished one, long millis) {
    one.due = round + millis / ROUND_MILLIS + 2; // rounded up, and this round has begun
    one.after = first;
    if (first != null) {
      first.before = one;
    }
    first = one;
    if (!isDue) {
      schedule();
    }
  }

  void forget(Unfinished one) {
    if (one.before != null) {
      one.before.after = one.after;
    } else {
      first = one.after;
    }
    if (one.after != null) {
      one.after.before = one.before;
    }
    one.before = null;
    one.after = null;
  }

  private void schedule() {
    if (loop == null) {
      return; // nobody waits on a thread that is no event loop
    }
    try {
      isDue = !loop.schedule(this, ROUND_MILLIS, TimeUnit.MILLISECONDS).isCancelled();
    } catch (RejectedExecutionException e) {
      isDue = false; // the loop ends, and all that is open with it
    }
  }

  /** Looks through all. */
  @Override
  public void run() {
    round++;
    isDue = false;
    for (Unfinished each = first; each != null; ) {
      Unfinished next = each.after;
      if (each.due <= round) {
        each.due = Long.MAX_VALUE;
        each.isLate();
      }
      each = next;
    }
    if (first != null) {
      schedule();
    }
  }
}
