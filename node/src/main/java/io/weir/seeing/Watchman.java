package io.weir.seeing;

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
 * The one thread that looks at what was seen, makes sense of it, and answers for it.
 *
 * <p>It goes round twenty times a second. What belongs to it is touched by no other thread, and so
 * needs no lock: whoever wants to know something leaves a question, and is answered right after the
 * next round, which that question starts. An answer therefore knows of every decision that was made
 * before it was asked for.
 *
 * <p>Without {@link #start} there is no thread, and a test goes the rounds by hand.
 */
public final class Watchman implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST_QUESTIONS = 256;

  private final TimeSource time;
  private final List<LongConsumer> rounds = new CopyOnWriteArrayList<>();
  private final List<LongConsumer> seconds = new CopyOnWriteArrayList<>();
  private final Queue<Question<?>> questions = new ConcurrentLinkedQueue<>();
  private final AtomicInteger open = new AtomicInteger();
  private volatile @Nullable Thread thread;
  private volatile boolean closed;
  private long lastSecond = Long.MIN_VALUE;
  private boolean hasFailed;

  /**
   * @param time what the rounds are dated by
   */
  public Watchman(TimeSource time) {
    this.time = time;
  }

  /** Does {@code work} in each round, with the milliseconds since the epoch. */
  public void eachRound(LongConsumer work) {
    rounds.add(work);
  }

  /**
   * Does {@code work} after the first round of each second, with that second since the epoch; where
   * no round was made for seconds, only for the last of them.
   */
  public void eachSecond(LongConsumer work) {
    seconds.add(work);
  }

  /**
   * Answers {@code question} on the watchman's thread, where everything that belongs to him may be
   * looked at. The stage completes there: what follows must be short, or go elsewhere.
   */
  public <T> CompletionStage<T> ask(Supplier<T> question) {
    Question<T> asked = new Question<>(question, new CompletableFuture<>());
    if (open.incrementAndGet() > MOST_QUESTIONS) {
      open.decrementAndGet();
      asked.turnAway("too many ask at once");
      return asked.answer;
    }
    questions.add(asked);
    LockSupport.unpark(thread);
    if (closed) {
      turnAll(); // it may have come too late for the last round
    }
    return asked.answer;
  }

  /** Goes one round, and answers. By hand in tests; else by the thread alone. */
  public void goRound() {
    List<Question<?>> waiting = waiting();
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
        lookOnce(); // the answer before may have taken its time, and decisions go on
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

  /** Those who ask before the round; who asks while it is made has to wait for the next. */
  private List<Question<?>> waiting() {
    List<Question<?>> waiting = new ArrayList<>();
    for (Question<?> next = questions.poll(); next != null; next = questions.poll()) {
      open.decrementAndGet();
      waiting.add(next);
      if (waiting.size() == MOST_QUESTIONS) {
        break;
      }
    }
    return waiting;
  }

  private void turnAll() {
    for (Question<?> next = questions.poll(); next != null; next = questions.poll()) {
      open.decrementAndGet();
      next.turnAway("the server is closed");
    }
  }

  /** Who only looks on must not fall over what he sees: it is told once, and he goes on. */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) { // nobody else would hear of it
      if (!hasFailed) {
        hasFailed = true;
        LOG.log(System.Logger.Level.ERROR, "what the dashboard shows may be wrong", e);
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

  /** Ends the thread; questions from now on are turned away. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** Something that somebody wants to know. */
  private record Question<T>(Supplier<T> question, CompletableFuture<T> answer) {
    void turnAway(String why) {
      answer.completeExceptionally(new RejectedExecutionException(why));
    }

    void settle() {
      try {
        answer.complete(question.get());
      } catch (RuntimeException | Error e) { // whoever asks is told
        answer.completeExceptionally(e);
      }
    }
  }
}
