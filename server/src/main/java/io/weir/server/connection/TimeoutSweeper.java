package io.weir.server.connection;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.ThreadExecutorMap;
import io.vertx.core.internal.ContextInternal;
import io.weir.logs.RateLimitedLog;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks unfinished work of one event loop for timeouts. Most work finishes at once, so nothing has
 * its own timer; instead, all open work is checked ten times a second. Belongs to its event loop.
 */
public final class TimeoutSweeper implements Runnable {
  private static final long ROUND_MILLIS = 100;

  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.server");

  private static final FastThreadLocal<TimeoutSweeper> HERE =
      new FastThreadLocal<>() {
        @Override
        protected TimeoutSweeper initialValue() {
          return new TimeoutSweeper(ThreadExecutorMap.currentExecutor());
        }
      };

  private final @Nullable EventExecutor loop;
  private @Nullable Watched first;
  private boolean isDue;

  private TimeoutSweeper(@Nullable EventExecutor loop) {
    this.loop = loop;
  }

  /** The sweeper of the current event loop. */
  public static TimeoutSweeper here() {
    return HERE.get();
  }

  /** Watches {@code one} until it is removed. */
  public void add(Watched one) {
    one.isWatched = true;
    one.context = ContextInternal.current();
    one.next = first;
    if (first != null) {
      first.before = one;
    }
    first = one;
    if (!isDue) {
      schedule();
    }
  }

  /** Stops watching {@code one}; does nothing if it is not watched. */
  public void remove(Watched one) {
    if (one.before != null) {
      one.before.next = one.next;
    } else if (one.isIn(first)) {
      first = one.next;
    }
    if (one.next != null) {
      one.next.before = one.before;
    }
    one.isWatched = false;
    one.context = null;
    one.before = null;
    one.next = null;
  }

  /** All watched work of a type. */
  public <T extends Watched> Stream<T> all(Class<T> kind) {
    return Stream.iterate(first, one -> one != null, one -> one.next)
        .filter(kind::isInstance)
        .map(kind::cast);
  }

  private void schedule() {
    if (loop == null) {
      return; // not an event loop: nothing times out here
    }
    try {
      isDue = !loop.schedule(this, ROUND_MILLIS, TimeUnit.MILLISECONDS).isCancelled();
    } catch (RejectedExecutionException e) {
      isDue = false; // the event loop is stopping, and its open work with it
    }
  }

  /** Checks all watched work. */
  @Override
  public void run() {
    isDue = false;
    for (Watched one = first; one != null; ) {
      Watched next = one.next; // an overdue one removes itself
      one.lookInContext();
      one = next;
    }
    if (first != null && !isDue) {
      schedule();
    }
  }

  /** Work that can time out. */
  public abstract static class Watched {
    private boolean isWatched;
    private @Nullable ContextInternal context;
    private @Nullable Watched before;
    private @Nullable Watched next;

    /**
     * Checks for a timeout; called on the event loop, in the context in which the work was added.
     * Implementations should count calls rather than time, so that a delay of the loop itself is
     * not mistaken for a timeout.
     */
    public abstract void look();

    /** The number of checks until {@code millis} have passed. */
    static long rounds(long millis) {
      return millis / ROUND_MILLIS + 2; // rounded up, plus the round in progress
    }

    private void lookInContext() {
      if (!isWatched) {
        return; // removed during this round
      }
      ContextInternal its = context;
      ContextInternal outer = its == null ? null : its.beginDispatch();
      try {
        look();
      } catch (RuntimeException | StackOverflowError e) { // the others must still be checked
        LOG.log(System.Logger.Level.ERROR, "the handling of a timeout failed", e);
      } finally {
        if (its != null) {
          its.endDispatch(outer);
        }
      }
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private boolean isIn(@Nullable Watched place) {
      return place == this;
    }
  }
}
