package io.weir.embedded;

import io.weir.rules.HeldCharge;
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
 * Holds delayed requests until their turn. Each held request takes memory, and a thread if its
 * thread waits, so the number is limited. Thread-safe.
 */
public final class DelayedRequests implements AutoCloseable {
  private final Semaphore slots;
  private final AtomicInteger held = new AtomicInteger();
  private final ScheduledThreadPoolExecutor clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Set<WaitingRequest> waiting = ConcurrentHashMap.newKeySet();

  /**
   * @param maxHeld the maximum number of held requests
   */
  public DelayedRequests(int maxHeld) {
    if (maxHeld < 0) {
      throw new IllegalArgumentException(
          "the number of held requests must not be negative: " + maxHeld);
    }
    slots = new Semaphore(maxHeld);
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
   * Blocks this thread until the request's turn.
   *
   * @return whether its turn has come; false if too many requests wait, the thread was interrupted,
   *     or this is closed. On false, the request has lost its place
   */
  public boolean await(HeldCharge turn) {
    if (!slots.tryAcquire()) {
      turn.settle(0);
      return false;
    }
    boolean isTurn = false;
    held.incrementAndGet();
    try {
      isTurn = !closed.await(turn.requestDecision().delay().toNanos(), TimeUnit.NANOSECONDS);
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
   * @param onTurn runs when its turn has come, on a thread that it must not block
   * @param onLost runs if its turn will not come, because this is closed
   * @return its place; null if too many requests wait: then it has lost its place
   */
  public @Nullable WaitingRequest hold(HeldCharge turn, Runnable onTurn, Runnable onLost) {
    if (!slots.tryAcquire()) {
      turn.settle(0);
      return null;
    }
    WaitingRequest waitingRequest = new WaitingRequest(turn, onTurn, onLost);
    try {
      waiting.add(waitingRequest);
      held.incrementAndGet();
      waitingRequest.timer =
          clock.schedule(
              waitingRequest, turn.requestDecision().delay().toNanos(), TimeUnit.NANOSECONDS);
      return waitingRequest;
    } catch (RejectedExecutionException e) { // it is closed
      return waitingRequest.end() ? null : waitingRequest;
    } catch (RuntimeException | Error e) { // for example, no thread can be created
      waitingRequest.end();
      throw e;
    }
  }

  /** How many requests are held now; closing gives up all of them, the last first. */
  public int held() {
    return held.get();
  }

  private void release() {
    held.decrementAndGet();
    slots.release();
  }

  /**
   * Gives up the places of all held requests. The last goes first, because a place cannot be given
   * back once another request has queued behind it.
   */
  @Override
  public void close() {
    closed.countDown();
    clock.shutdownNow();
    long now = System.nanoTime();
    waiting.stream()
        .sorted(
            Comparator.comparingLong((WaitingRequest waitingRequest) -> now - waitingRequest.due))
        .forEach(WaitingRequest::lose);
  }

  /** A request that is held without a thread. */
  public final class WaitingRequest implements Runnable {
    private final AtomicBoolean hasEnded = new AtomicBoolean();
    private final HeldCharge turn;
    private final Runnable onTurn;
    private final Runnable onLost;
    private final long due;
    private volatile @Nullable Future<?> timer;

    private WaitingRequest(HeldCharge turn, Runnable onTurn, Runnable onLost) {
      this.turn = turn;
      this.onTurn = onTurn;
      this.onLost = onLost;
      this.due = System.nanoTime() + turn.requestDecision().delay().toNanos();
    }

    /** Runs when its turn has come. */
    @Override
    public void run() {
      if (free()) {
        onTurn.run();
      }
    }

    /** The client no longer waits: gives the place back, unless its turn has come. */
    public void leave() {
      Future<?> pending = timer;
      if (end() && pending != null) {
        pending.cancel(false);
      }
    }

    private void lose() {
      if (end()) {
        onLost.run();
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
      boolean isFirst = hasEnded.compareAndSet(false, true);
      if (isFirst) {
        waiting.remove(this);
        release();
      }
      return isFirst;
    }
  }
}
