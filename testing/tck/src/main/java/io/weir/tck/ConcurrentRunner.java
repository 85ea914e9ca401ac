package io.weir.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Threads that start together. */
final class ConcurrentRunner {
  static final int SIZE = 4;

  private ConcurrentRunner() {}

  /** The work of one thread. */
  @FunctionalInterface
  interface Job<T> {
    T work(int number) throws Exception;
  }

  /** Runs {@code job} on all threads, and returns their results. */
  static <T> List<T> work(Job<T> job) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(SIZE);
    try {
      CyclicBarrier start = new CyclicBarrier(SIZE);
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < SIZE; i++) {
        int number = i;
        futures.add(
            threads.submit(
                () -> {
                  start.await(60, TimeUnit.SECONDS);
                  return job.work(number);
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  /** {@link #work} for counts, summed up. */
  static long sum(Job<Long> job) throws InterruptedException {
    return work(job).stream().mapToLong(n -> n).sum();
  }
}
