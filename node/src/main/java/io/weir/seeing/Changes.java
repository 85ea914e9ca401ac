package io.weir.seeing;

import io.weir.TimeSource;
import io.weir.arbiter.RuleChange;
import io.weir.arbiter.RuleFeed;
import io.weir.rules.file.Problem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The last changes of the rules, from any thread. */
public final class Changes implements RuleFeed.Audience {
  private static final int MOST = 100;

  private final TimeSource time;
  private final Deque<Change> last = new ArrayDeque<>();
  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();

  /** None so far. */
  public Changes(TimeSource time) {
    this.time = time;
  }

  /** The process has begun, with so many rules. */
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
      if (last.size() == MOST) {
        last.removeFirst();
      }
      last.addLast(change);
    }
    listeners.forEach(listener -> listener.accept(change));
  }

  /** Tells of each from now on, on whatever thread it happens. */
  public void each(Consumer<Change> listener) {
    listeners.add(listener);
  }

  /** The last of them, the newest first. */
  public List<Change> newest() {
    List<Change> all;
    synchronized (last) {
      all = new ArrayList<>(last);
    }
    Collections.reverse(all);
    return all;
  }
}
