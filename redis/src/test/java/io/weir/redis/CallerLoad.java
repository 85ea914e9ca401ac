package io.weir.redis;

import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Two endless callers of one limiter: one waits for each decision, the other does not. */
final class CallerLoad implements AutoCloseable {
  private static final int MAX_UNANSWERED = 64;
  private static final long PAUSE_NANOS = 1_000_000;

  private final RateLimiter limiter;
  private final OnFailure policy;
  private final boolean hasShare;
  private final List<String> keys;
  private final List<Thread> threads = new ArrayList<>();
  private final List<PhaseResults> tallies = new ArrayList<>();
  private final Semaphore unanswered = new Semaphore(MAX_UNANSWERED);
  private volatile PhaseResults phaseResults;
  private volatile boolean closed;

  CallerLoad(RateLimiter limiter, OnFailure policy, boolean hasShare, List<String> keys) {
    this.limiter = limiter;
    this.policy = policy;
    this.hasShare = hasShare;
    this.keys = keys;
    nextPhase();
    start("sync", this::checkAndWait);
    start("async", this::checkWithoutWaiting);
  }

  private void start(String how, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              while (!closed) {
                work.run();
                LockSupport.parkNanos(PAUSE_NANOS);
              }
            },
            "caller-" + policy + "-" + how);
    threads.add(thread);
    thread.start();
  }

  private String key() {
    return keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
  }

  private void checkAndWait() {
    PhaseResults mine = phaseResults;
    long start = System.nanoTime();
    try {
      Decision decision = limiter.check(key());
      mine.decided(decision, System.nanoTime() - start);
    } catch (Throwable e) {
      mine.wrong("sync: " + e);
    }
  }

  private void checkWithoutWaiting() {
    if (!unanswered.tryAcquire()) {
      return;
    }
    PhaseResults mine = phaseResults;
    long start = System.nanoTime();
    try {
      limiter
          .async()
          .check(key())
          .whenComplete(
              (decision, failure) -> {
                unanswered.release();
                if (failure != null) {
                  mine.wrong("async: " + failure);
                } else {
                  mine.decided(decision, System.nanoTime() - start);
                }
              });
    } catch (Throwable e) {
      unanswered.release();
      mine.wrong("async: " + e);
    }
  }

  /** The results from now on. */
  PhaseResults nextPhase() {
    phaseResults = new PhaseResults(policy, hasShare);
    tallies.add(phaseResults);
    return phaseResults;
  }

  PhaseResults phaseResults() {
    return phaseResults;
  }

  List<PhaseResults> tallies() {
    return tallies;
  }

  OnFailure policy() {
    return policy;
  }

  RateLimiter limiter() {
    return limiter;
  }

  List<String> keys() {
    return keys;
  }

  /** Stops the checks; returns whether all were decided. */
  boolean stop() throws InterruptedException {
    closed = true;
    boolean ended = true;
    for (Thread thread : threads) {
      thread.join(30_000);
      ended &= !thread.isAlive();
    }
    return ended && unanswered.tryAcquire(MAX_UNANSWERED, 30, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    closed = true;
  }
}
