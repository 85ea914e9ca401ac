package io.weir.client;

import io.weir.client.pace.DelayScheduler;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Threads that deliver shared responses, one caller each, because body handlers and application
 * callbacks may be slow. Above a fixed number of concurrent tasks, further ones wait until one
 * ends.
 */
final class CallbackPool {
  static final int MAX_CALLBACKS = 256;

  private final DelayScheduler time;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int busy;

  CallbackPool(DelayScheduler time) {
    this.time = time;
  }

  /** Runs a task soon, on another thread. */
  void soon(Runnable task) {
    if (isFree(task)) {
      time.soon(() -> work(task));
    }
  }

  private synchronized boolean isFree(Runnable task) {
    boolean isFree = busy < MAX_CALLBACKS;
    if (isFree) {
      busy++;
    } else {
      waiting.add(task);
    }
    return isFree;
  }

  private void work(Runnable task) {
    try {
      task.run();
    } finally {
      Runnable next = next();
      if (next != null) {
        time.soon(() -> work(next));
      }
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = waiting.poll();
    if (next == null) {
      busy--;
    }
    return next;
  }
}
