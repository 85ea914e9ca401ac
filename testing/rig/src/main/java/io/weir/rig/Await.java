package io.weir.rig;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Waits for a condition, for a bounded time. */
public final class Await {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private Await() {}

  /** Returns as soon as {@code condition} holds; an exception means that it does not yet. */
  public static void holds(String what, Callable<Boolean> condition) {
    holds(() -> what, TIMEOUT, condition);
  }

  /** Returns as soon as {@code condition} holds; throws after {@code timeout}. */
  public static void holds(Supplier<String> what, Duration timeout, Callable<Boolean> condition) {
    long start = System.nanoTime();
    Exception last = null;
    do {
      try {
        if (condition.call()) {
          return;
        }
        last = null;
        Thread.sleep(2);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting until " + what.get(), e);
      } catch (Exception e) {
        last = e;
        pause();
      }
    } while (System.nanoTime() - start < timeout.toNanos());
    throw new AssertionError("not within " + timeout + ": " + what.get(), last);
  }

  private static void pause() {
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
