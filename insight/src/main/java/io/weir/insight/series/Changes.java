package io.weir.insight.series;

import io.weir.TimeSource;
import io.weir.decision.RuleChange;
import io.weir.decision.RuleSource;
import io.weir.rules.Problem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The latest changes of the rules. Thread-safe. */
public final class Changes implements RuleSource.RuleChangeListener {
  private static final int MAX_CHANGES = 100;

  private final TimeSource time;
  private final Deque<Change> last = new ArrayDeque<>();
  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();

  /** Starts empty. */
  public Changes(TimeSource time) {
    this.time = time;
  }

  /** Records the start of the process with this number of rules. */
  public void started(int rules) {
    add(Change.started(now(), rules));
  }

  @Override
  public void reloaded(RuleChange change) {
    add(Change.reloaded(now(), change));
  }

  @Override
  public void rejected(List<Problem> problems) {
    add(Change.rejected(now(), problems));
  }

  private long now() {
    return TimeUnit.NANOSECONDS.toMillis(time.epochNanos());
  }

  private void add(Change change) {
    synchronized (last) {
      if (last.size() == MAX_CHANGES) {
        last.removeFirst();
      }
      last.addLast(change);
    }
    listeners.forEach(listener -> listener.accept(change));
  }

  /** Notifies {@code listener} of each later change, on the thread that made it. */
  public void each(Consumer<Change> listener) {
    listeners.add(listener);
  }

  /** The latest changes, the newest first. */
  public List<Change> newest() {
    List<Change> all;
    synchronized (last) {
      all = new ArrayList<>(last);
    }
    Collections.reverse(all);
    return all;
  }
}
