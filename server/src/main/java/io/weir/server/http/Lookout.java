package io.weir.server.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.internal.ThreadExecutorMap;
import io.vertx.core.internal.ContextInternal;
import io.weir.logs.RareLog;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an eye on what has been begun on one event loop and not ended. Most of it ends at once: so
 * nothing gets a timer of its own, but all that is open is looked at ten times a second.
 */
public final class Lookout implements Runnable {
  private static final long ROUND_MILLIS = 100;

  private static final RareLog LOG = new RareLog("io.weir.server");

  private static final FastThreadLocal<Lookout> HERE =
      new FastThreadLocal<>() {
        @Override
        protected Lookout initialValue() {
          return new Lookout(ThreadExecutorMap.currentExecutor());
        }
      };

  private final @Nullable EventExecutor loop;
  private @Nullable Watched first;
  private boolean isDue;

  private Lookout(@Nullable EventExecutor loop) {
    this.loop = loop;
  }

  /** That of this event loop. */
  public static Lookout here() {
    return HERE.get();
  }

  /** Looks after it until it is removed. */
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

  /** Looks after it no more, if it ever did. */
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

  /** All of a kind that it looks after. */
  public <T extends Watched> Stream<T> all(Class<T> kind) {
    return Stream.iterate(first, one -> one != null, one -> one.next)
        .filter(kind::isInstance)
        .map(kind::cast);
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

  /** Looks at all. */
  @Override
  public void run() {
    isDue = false;
    long now = System.nanoTime();
    for (Watched one = first; one != null; ) {
      Watched next = one.next; // whoever is late leaves
      one.lookInContext(now);
      one = next;
    }
    if (first != null && !isDue) {
      schedule();
    }
  }

  /** Somebody who may be late. */
  public abstract static class Watched {
    private boolean isWatched;
    private @Nullable ContextInternal context;
    private @Nullable Watched before;
    private @Nullable Watched next;

    /**
     * Gives up if it is late; on the event loop, in the context in which it was added. Who counts
     * how often this is called is not late because the loop itself was held up.
     *
     * @param nanos {@link System#nanoTime}
     */
    protected abstract void look(long nanos);

    /** How often it is looked at until so much time has passed. */
    static long rounds(long millis) {
      return millis / ROUND_MILLIS + 2; // rounded up, and this round has begun
    }

    private void lookInContext(long nanos) {
      if (!isWatched) {
        return; // it has just been removed
      }
      ContextInternal its = context;
      ContextInternal outer = its == null ? null : its.beginDispatch();
      try {
        look(nanos);
      } catch (RuntimeException | StackOverflowError e) { // the others are looked at all the same
        LOG.log(System.Logger.Level.ERROR, "something that is late could not be ended", e);
      } finally {
        if (its != null) {
          its.endDispatch(outer);
        }
      }
    }

    @SuppressWarnings("ReferenceEquality") // it is this very one or not
    private boolean isIn(@Nullable Watched place) {
      return place == this;
    }
  }
}
