package io.weir.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/** A timer whose time stands still until a test moves it. */
final class ManualTimer implements Timer {
  private final Queue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
  private long now;
  private long number;

  /** Time begins at {@code origin}, which may be about to overflow. */
  ManualTimer(long origin) {
    this.origin = origin;
  }

  private final long origin;

  @Override
  public long nanoTime() {
    return origin + now;
  }

  @Override
  public void after(long delayNanos, Runnable task) {
    tasks.add(new Task(now + Math.max(0, delayNanos), number++, task));
  }

  /** Moves on to {@code duration} from the beginning, and does what is due on the way. */
  void moveTo(Duration duration) {
    long until = duration.toNanos();
    Task first = tasks.peek();
    while (first != null && first.at <= until) {
      tasks.remove();
      now = Math.max(now, first.at);
      first.work.run();
      first = tasks.peek();
    }
    now = until;
  }

  /** How long since the beginning. */
  Duration elapsed() {
    return Duration.ofNanos(now);
  }

  /** How much is still to be done. */
  int pending() {
    return tasks.size();
  }

  @Override
  public void close() {
    new ArrayDeque<>(tasks).forEach(tasks::remove);
  }

  private record Task(long at, long number, Runnable work) {}
}
