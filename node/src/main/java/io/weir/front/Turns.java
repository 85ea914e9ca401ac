package io.weir.front;

import io.weir.rules.Held;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are held until their turn has come. Each takes memory, and where its thread waits a
 * thread as well: only so many are held at a time.
 */
public final class Turns implements AutoCloseable {
  private final int most;
  private final Semaphore places;
  private final ScheduledThreadPoolExecutor clock;

  /**
   * @param most how many are held at a time
   */
  public Turns(int most) {
    if (most < 0) {
      throw new IllegalArgumentException(
          "how many requests are held must not be negative: " + most);
    }
    this.most = most;
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
   * @return whether its turn has come; false if too many wait, or if the thread was interrupted:
   *     then it has no place any more
   */
  public boolean await(Held turn) {
    if (!places.tryAcquire()) {
      turn.settle(0);
      return false;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(turn.ruling().delay().toNanos());
      return true;
    } catch (InterruptedException e) {
      turn.settle(0);
      Thread.currentThread().interrupt();
      return false;
    } finally {
      places.release();
    }
  }

  /**
   * Holds a request without a thread.
   *
   * @param come is run when its turn has come, by a thread that must not be kept
   * @return its place; null if too many wait: then it has none any more
   */
  public @Nullable Place hold(Held turn, Runnable come) {
    if (!places.tryAcquire()) {
      turn.settle(0);
      return null;
    }
    Place place = new Place(turn, come);
    try {
      place.timer = clock.schedule(place, turn.ruling().delay().toNanos(), TimeUnit.NANOSECONDS);
      return place;
    } catch (RejectedExecutionException e) { // it is closed
      place.leave();
      return null;
    }
  }

  /** How many are held now. */
  public int held() {
    return most - places.availablePermits();
  }

  /** Those that are held without a thread are forgotten. */
  @Override
  public void close() {
    clock.shutdownNow();
  }

  /** A request that is held without a thread. */
  public final class Place implements Runnable {
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final Held turn;
    private final Runnable come;
    private volatile @Nullable Future<?> timer;

    private Place(Held turn, Runnable come) {
      this.turn = turn;
      this.come = come;
    }

    /** Its turn has come. */
    @Override
    public void run() {
      if (isOver.compareAndSet(false, true)) {
        places.release();
        come.run();
      }
    }

    /** Nobody waits for it any more: the place is given back, unless its turn has come. */
    public void leave() {
      if (isOver.compareAndSet(false, true)) {
        places.release();
        turn.settle(0);
        Future<?> pending = timer;
        if (pending != null) {
          pending.cancel(false);
        }
      }
    }
  }
}
