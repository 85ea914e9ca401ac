package io.weir.runtime;

import io.weir.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The single thread of a node for periodic work, such as the log of refusals, and for queries on
 * data that only this thread may use. Thread-safe.
 *
 * <p>It runs twenty rounds a second if there is work for each round, else one a second. A caller
 * submits a query with {@link #ask}; the query starts the next round and runs right after it. So
 * the result includes every decision made before the call.
 *
 * <p>Without {@link #start} there is no thread, and a test runs the rounds by hand.
 */
public final class BackgroundThread implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_QUERIES = 256;

  private final TimeSource time;
  private final List<LongConsumer> rounds = new CopyOnWriteArrayList<>();
  private final List<LongConsumer> seconds = new CopyOnWriteArrayList<>();
  private final Queue<Query<?>> queries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger open = new AtomicInteger();
  private volatile @Nullable Thread thread;
  private volatile boolean closed;
  private long lastSecond = Long.MIN_VALUE;
  private boolean hasFailed;

  /**
   * @param time dates the rounds
   */
  public BackgroundThread(TimeSource time) {
    this.time = time;
  }

  /** Runs {@code work} in each round, with the milliseconds since the epoch. */
  public void eachRound(LongConsumer work) {
    rounds.add(work);
  }

  /**
   * Runs {@code work} after the first round of each second, with that second since the epoch. If
   * seconds were missed, it runs only for the last of them.
   */
  public void eachSecond(LongConsumer work) {
    seconds.add(work);
  }

  /**
   * Runs {@code query} on this thread. The stage completes on this thread, so dependent actions
   * must be short or run on another thread.
   */
  public <T> CompletionStage<T> ask(Supplier<T> query) {
    Query<T> submitted = new Query<>(query, new CompletableFuture<>());
    if (open.incrementAndGet() > MAX_QUERIES) {
      open.decrementAndGet();
      submitted.reject("too many queries at once");
      return submitted.result;
    }
    queries.add(submitted);
    LockSupport.unpark(thread);
    if (closed) {
      rejectAll(); // it may have come too late for the last round
    }
    return submitted.result;
  }

  /** Runs one round, then the queries. Called by tests; else by the thread alone. */
  public void runRound() {
    List<Query<?>> waiting = waiting();
    long nanos = workOnce();
    long second = Math.floorDiv(nanos, SECOND_NANOS);
    if (second > lastSecond) {
      lastSecond = second;
      for (LongConsumer work : seconds) {
        guarded(() -> work.accept(second));
      }
    }
    for (int i = 0; i < waiting.size(); i++) {
      if (i > 0) {
        workOnce(); // the previous query may have been slow, and decisions go on
      }
      waiting.get(i).run();
    }
  }

  private long workOnce() {
    long nanos = time.epochNanos();
    for (LongConsumer work : rounds) {
      guarded(() -> work.accept(Math.floorDiv(nanos, 1_000_000)));
    }
    return nanos;
  }

  /** The queries submitted before the round; later ones wait for the next round. */
  private List<Query<?>> waiting() {
    List<Query<?>> waiting = new ArrayList<>();
    for (Query<?> next = queries.poll(); next != null; next = queries.poll()) {
      open.decrementAndGet();
      waiting.add(next);
      if (waiting.size() == MAX_QUERIES) {
        break;
      }
    }
    return waiting;
  }

  private void rejectAll() {
    for (Query<?> next = queries.poll(); next != null; next = queries.poll()) {
      open.decrementAndGet();
      next.reject("the server is closed");
    }
  }

  /**
   * A failure of one task must not stop the thread: the first is logged, and the thread goes on.
   */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) { // not visible otherwise
      if (!hasFailed) {
        hasFailed = true;
        LOG.log(
            System.Logger.Level.ERROR,
            "periodic work failed; data on the dashboard may be wrong",
            e);
      }
    }
  }

  /** Starts the thread. */
  public void start() {
    Thread started = new Thread(this::loop, "weir-background");
    started.setDaemon(true);
    thread = started;
    started.start();
  }

  private long toNextSecond() {
    return SECOND_NANOS - Math.floorMod(time.epochNanos(), SECOND_NANOS);
  }

  private void loop() {
    while (!closed) {
      runRound();
      LockSupport.parkNanos(this, rounds.isEmpty() ? toNextSecond() : ROUND_NANOS);
    }
    rejectAll();
  }

  /** Ends the thread; later queries are rejected. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** A query to run on this thread. */
  private record Query<T>(Supplier<T> code, CompletableFuture<T> result) {
    void reject(String why) {
      result.completeExceptionally(new RejectedExecutionException(why));
    }

    void run() {
      try {
        result.complete(code.get());
      } catch (RuntimeException | Error e) { // passed on to the caller
        result.completeExceptionally(e);
      }
    }
  }
}
