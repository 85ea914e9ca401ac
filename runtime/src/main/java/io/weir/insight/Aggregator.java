package io.weir.insight;

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
 * The single thread that reads noted decisions, aggregates them and runs queries on the result.
 * Thread-safe.
 *
 * <p>It runs twenty rounds a second. Its data is confined to this thread and so needs no lock. A
 * caller submits a query with {@link #ask}; the query starts the next round and runs right after
 * it. So the result includes every decision made before the call.
 *
 * <p>Without {@link #start} there is no thread, and a test runs the rounds by hand.
 */
public final class Aggregator implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MAX_QUESTIONS = 256;

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
  public Aggregator(TimeSource time) {
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
   * Runs {@code question} on the watchman's thread, which owns all tracked data. The stage
   * completes on that thread, so dependent actions must be short or run elsewhere.
   */
  public <T> CompletionStage<T> ask(Supplier<T> question) {
    Query<T> asked = new Query<>(question, new CompletableFuture<>());
    if (open.incrementAndGet() > MAX_QUESTIONS) {
      open.decrementAndGet();
      asked.turnAway("too many queries at once");
      return asked.answer;
    }
    queries.add(asked);
    LockSupport.unpark(thread);
    if (closed) {
      turnAll(); // it may have come too late for the last round
    }
    return asked.answer;
  }

  /** Runs one round, then the queries. Called by tests; else by the thread alone. */
  public void goRound() {
    List<Query<?>> waiting = waiting();
    long nanos = lookOnce();
    long second = Math.floorDiv(nanos, 1_000_000_000);
    if (second > lastSecond) {
      lastSecond = second;
      for (LongConsumer work : seconds) {
        guarded(() -> work.accept(second));
      }
    }
    for (int i = 0; i < waiting.size(); i++) {
      if (i > 0) {
        lookOnce(); // the previous query may have been slow, and decisions go on
      }
      waiting.get(i).settle();
    }
  }

  private long lookOnce() {
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
      if (waiting.size() == MAX_QUESTIONS) {
        break;
      }
    }
    return waiting;
  }

  private void turnAll() {
    for (Query<?> next = queries.poll(); next != null; next = queries.poll()) {
      open.decrementAndGet();
      next.turnAway("the server is closed");
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
        LOG.log(System.Logger.Level.ERROR, "dashboard data may be wrong", e);
      }
    }
  }

  /** Starts the thread. */
  public void start() {
    Thread walker = new Thread(this::walk, "weir-watchman");
    walker.setDaemon(true);
    thread = walker;
    walker.start();
  }

  private void walk() {
    while (!closed) {
      goRound();
      LockSupport.parkNanos(this, ROUND_NANOS);
    }
    turnAll();
  }

  /** Ends the thread; later queries are rejected. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** A query to run on this thread. */
  private record Query<T>(Supplier<T> question, CompletableFuture<T> answer) {
    void turnAway(String why) {
      answer.completeExceptionally(new RejectedExecutionException(why));
    }

    void settle() {
      try {
        answer.complete(question.get());
      } catch (RuntimeException | Error e) { // passed on to the caller
        answer.completeExceptionally(e);
      }
    }
  }
}
