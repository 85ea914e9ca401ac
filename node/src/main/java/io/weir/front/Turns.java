package io.weir.front;

import io.weir.rules.Held;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are held until their turn has come. Each takes memory, and where its thread waits a
 * thread as well: only so many are held at a time.
 */
public final class Turns implements AutoCloseable {
  private final Semaphore places;
  private final AtomicInteger held = new AtomicInteger();
  private final ScheduledThreadPoolExecutor clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Set<Place> waiting = ConcurrentHashMap.newKeySet();

  /**
   * @param most how many are held at a time
   */
  public Turns(int most) {
    if (most < 0) {
      throw new IllegalArgumentException(
          "how many requests are held must not be negative: " + most);
    }
    places = new Semaphore(most);
    clock =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "weir-turns");
              thread.setDaemon(true);
              return thread;
            });
    clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    clock.setRemoveOnCancelPolicy(true);
  }

  /**
   * Holds a request in this thread.
   *
   * @return whether its turn has come; false if too many wait, if the thread was interrupted, or if
   *     this is closed: then it has no place any more
   */
  public boolean await(Held turn) {
    if (!places.tryAcquire()) {
      turn.settle(0);
      return false;
    }
    boolean isTurn = false;
    held.incrementAndGet();
    try {
      isTurn = !closed.await(turn.ruling().delay().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      release();
      if (!isTurn) {
        turn.settle(0);
      }
    }
    return isTurn;
  }

  /**
   * Holds a request without a thread.
   *
   * @param come is run when its turn has come, by a thread that must not be kept
   * @param lost is run if its turn will not come, because this is closed
   * @return its place; null if too many wait: then it has none any more
   */
  public @Nullable Place hold(Held turn, Runnable come, Runnable lost) {
    if (!places.tryAcquire()) {
      turn.settle(0);
      return null;
    }
    Place place = new Place(turn, come, lost);
    try {
      waiting.add(place);
      held.incrementAndGet();
      place.timer = clock.schedule(place, turn.ruling().delay().toNanos(), TimeUnit.NANOSECONDS);
      return place;
    } catch (RejectedExecutionException e) { // it is closed
      return place.end() ? null : place;
    } catch (RuntimeException | Error e) { // such as that there is no thread to be had
      place.end();
      throw e;
    }
  }

  /** How many are held now: closing ends all of these, the last first. */
  public int held() {
    return held.get();
  }

  private void release() {
    held.decrementAndGet();
    places.release();
  }

  /**
   * Those that are held have no places any more. The last goes first: where somebody has queued
   * behind it, a place cannot be given back.
   */
  @Override
  public void close() {
    closed.countDown();
    clock.shutdownNow();
    long now = System.nanoTime();
    waiting.stream()
        .sorted(Comparator.comparingLong((Place place) -> now - place.due))
        .forEach(Place::lose);
  }

  /** A request that is held without a thread. */
  public final class Place implements Runnable {
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final Held turn;
    private final Runnable come;
    private final Runnable lost;
    private final long due;
    private volatile @Nullable Future<?> timer;

    private Place(Held turn, Runnable come, Runnable lost) {
      this.turn = turn;
      this.come = come;
      this.lost = lost;
      this.due = System.nanoTime() + turn.ruling().delay().toNanos();
    }

    /** Its turn has come. */
    @Override
    public void run() {
      if (free()) {
        come.run();
      }
    }

    /** Nobody waits for it any more: the place is given back, unless its turn has come. */
    public void leave() {
      Future<?> pending = timer;
      if (end() && pending != null) {
        pending.cancel(false);
      }
    }

    private void lose() {
      if (end()) {
        lost.run();
      }
    }

    private boolean end() {
      boolean isFirst = free();
      if (isFirst) {
        turn.settle(0);
      }
      return isFirst;
    }

    private boolean free() {
      boolean isFirst = isOver.compareAndSet(false, true);
      if (isFirst) {
        waiting.remove(this);
        release();
      }
      return isFirst;
    }
  }
}
