package io.weir.node;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What was opened and is to be closed: the last first, each once, and all of it even if closing one
 * fails.
 */
public final class Closing {
  private final Deque<Runnable> opened = new ArrayDeque<>();

  /** Is to be closed before all that was opened so far. */
  public synchronized void add(Runnable close) {
    opened.push(close);
  }

  /** Closes everything; throws what failed first, when the rest is closed. */
  public void all() {
    after(() -> {});
  }

  /** {@code goodbye}, then {@link #all}, whatever becomes of it. */
  public void after(Runnable goodbye) {
    RuntimeException failure = failure(null, goodbye);
    for (Runnable each = next(); each != null; each = next()) {
      failure = failure(failure, each);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** {@link #all}, because of {@code reason}, which is told to have failed if anything fails. */
  public void becauseOf(Throwable reason) {
    try {
      all();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  private synchronized @Nullable Runnable next() {
    return opened.poll();
  }

  private static @Nullable RuntimeException failure(
      @Nullable RuntimeException before, Runnable step) {
    try {
      step.run();
      return before;
    } catch (RuntimeException e) {
      if (before == null) {
        return e;
      }
      before.addSuppressed(e);
      return before;
    }
  }
}
