package io.weir.bench.redis.node;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * Callers that repeat their check as soon as it completes, on the completing thread: as many checks
 * are in flight as there are callers. After a check that Redis did not decide, a caller pauses
 * briefly. Failing checks at full speed on the same core would prevent any measurement.
 */
final class ClosedLoop {
  private static final int OVER = -1;
  private static final long TIMEOUT_SECONDS = 120;
  private static final Executor LATER = CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS);

  private ClosedLoop() {}

  /** The number of checks by outcome, and their duration. */
  record Counts(long allowed, long refused, long failed, long nanos) {
    long all() {
      return allowed + refused + failed;
    }
  }

  /**
   * Runs until the time is over; later replies do not count.
   *
   * @param starters how many threads start the callers: more than one if replies come at once
   * @param keys which keys each caller uses
   */
  static <A> Counts run(
      RemoteLimiter<A> limiter,
      int callers,
      int starters,
      long nanos,
      IntFunction<IntSupplier> keys)
      throws InterruptedException {
    return run(limiter, callers, starters, System.nanoTime() + nanos, nanos, keys);
  }

  /** Makes {@code total} checks, cycling through the keys. */
  static <A> Counts count(RemoteLimiter<A> limiter, int callers, long total, int keys)
      throws InterruptedException {
    AtomicLong sent = new AtomicLong();
    IntSupplier next =
        () -> {
          long i = sent.getAndIncrement();
          return i < total ? (int) (i % keys) : OVER;
        };
    long timeout = TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    return run(limiter, callers, 1, System.nanoTime() + timeout, timeout, caller -> next);
  }

  private static <A> Counts run(
      RemoteLimiter<A> limiter,
      int callers,
      int starters,
      long end,
      long nanos,
      IntFunction<IntSupplier> keys)
      throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(callers);
    List<Caller<A>> all = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      all.add(new Caller<>(limiter, keys.apply(i), end, busy));
    }
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i < starters; i++) {
      int first = i;
      threads.add(new Thread(() -> start(all, first, starters), "starter-" + i));
    }
    threads.forEach(Thread::start);
    start(all, 0, starters);
    if (!busy.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          busy.getCount() + " checks were not answered for " + TIMEOUT_SECONDS + " s");
    }
    long took = Math.min(System.nanoTime() - start, nanos);
    long[] sums = new long[CheckResult.values().length];
    for (Caller<A> caller : all) {
      for (int i = 0; i < sums.length; i++) {
        sums[i] += caller.counts[i];
      }
    }
    return new Counts(
        sums[CheckResult.ALLOWED.ordinal()],
        sums[CheckResult.REFUSED.ordinal()],
        sums[CheckResult.FAILED.ordinal()],
        took);
  }

  private static void start(List<? extends Caller<?>> callers, int first, int step) {
    for (int i = first; i < callers.size(); i += step) {
      callers.get(i).go();
    }
  }

  /** One caller. Its checks are sequential, so its counts need no lock. */
  private static final class Caller<A> {
    private final RemoteLimiter<A> limiter;
    private final IntSupplier keys;
    private final long end;
    private final CountDownLatch busy;
    private final long[] counts = new long[CheckResult.values().length];

    Caller(RemoteLimiter<A> limiter, IntSupplier keys, long end, CountDownLatch busy) {
      this.limiter = limiter;
      this.keys = keys;
      this.end = end;
      this.busy = busy;
    }

    /** Continues until a reply is not available at once. */
    @SuppressWarnings("FutureReturnValueIgnored") // the completing thread continues
    void go() {
      while (true) {
        int key = isLate() ? OVER : keys.getAsInt();
        if (key == OVER) {
          busy.countDown();
          return;
        }
        CompletableFuture<A> reply = limiter.check(key).toCompletableFuture();
        if (!reply.isDone()) {
          reply.whenComplete(this::completed);
          return;
        }
        CheckResult checkResult =
            reply.isCompletedExceptionally()
                ? CheckResult.FAILED
                : limiter.result(reply.getNow(null));
        count(checkResult);
        if (checkResult == CheckResult.FAILED) {
          LATER.execute(this::go);
          return;
        }
      }
    }

    private void completed(A reply, Throwable failure) {
      CheckResult checkResult = failure == null ? limiter.result(reply) : CheckResult.FAILED;
      if (!isLate()) {
        count(checkResult);
      }
      if (checkResult == CheckResult.FAILED) {
        LATER.execute(this::go);
      } else {
        go();
      }
    }

    private void count(CheckResult checkResult) {
      counts[checkResult.ordinal()]++;
    }

    private boolean isLate() {
      return System.nanoTime() - end >= 0;
    }
  }
}
