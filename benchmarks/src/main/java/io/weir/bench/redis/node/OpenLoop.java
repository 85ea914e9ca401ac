package io.weir.bench.redis.node;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks at random times with a given mean rate, independent of the replies. The time of a check
 * counts from the moment when it was due, so a late start is included.
 */
final class OpenLoop {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private OpenLoop() {}

  /** Receives each reply, on any thread. */
  interface Listener<A> {
    /**
     * @param i which check
     * @param due when it was due
     * @param sentAt when it was sent
     * @param reply null if it failed
     */
    void completed(int i, long due, long sentAt, A reply);
  }

  /** Makes {@code total} checks from {@code start} on and waits for the replies. */
  @SuppressWarnings("FutureReturnValueIgnored") // passed to the listener
  static <A> void run(
      RemoteLimiter<A> limiter,
      long start,
      double perSecond,
      int total,
      int keys,
      Listener<A> listener) {
    SplittableRandom random = new SplittableRandom(start);
    AtomicLong completed = new AtomicLong();
    double meanNanos = 1e9 / perSecond;
    double offset = 0;
    for (int i = 0; i < total; i++) {
      offset += -Math.log(1 - random.nextDouble()) * meanNanos;
      long due = start + (long) offset;
      long now = System.nanoTime();
      while (now - due < 0) {
        LockSupport.parkNanos(due - now);
        now = System.nanoTime();
      }
      int number = i;
      long sentAt = now;
      limiter
          .check(random.nextInt(keys))
          .whenComplete(
              (reply, failure) -> {
                listener.completed(number, due, sentAt, reply);
                completed.incrementAndGet();
              });
    }
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (completed.get() < total) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(total - completed.get() + " checks were not answered");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
