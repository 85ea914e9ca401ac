package io.weir.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Closes opened resources in reverse order. Each is closed once, and all are closed even if one
 * fails to close.
 */
public final class Closer {
  private final Deque<Runnable> opened = new ArrayDeque<>();

  /** Adds a resource. It is closed before all resources added so far. */
  public synchronized void add(Runnable close) {
    opened.push(close);
  }

  /** Closes everything, then throws the first failure. */
  public void all() {
    after(() -> {});
  }

  /** Runs {@code first}, then {@link #all}, even if {@code first} fails. */
  public void after(Runnable first) {
    RuntimeException failure = failure(null, first);
    for (Runnable each = next(); each != null; each = next()) {
      failure = failure(failure, each);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Runs {@link #all} because of {@code reason}. The first failure to close is added to it as a
   * suppressed exception.
   */
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
