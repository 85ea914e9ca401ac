package io.weir.seeing;

import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.rules.RequestLimiter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The {@link History} of decisions and the {@link Changes} of rules. Thread-safe. */
public final class Past {
  private static final int USAGE_SECONDS = 5;

  private final Watchman watchman;
  private final Arbiter arbiter;
  private final TimeSource time;
  private final History history;
  private final Changes changes;
  private final StoreWatch store;
  private final List<Consumer<Tick>> listeners = new CopyOnWriteArrayList<>();

  /**
   * Starts with the rules in force.
   *
   * @param watchman reads the counters
   * @param health the current state of the store
   */
  public Past(Watchman watchman, Arbiter arbiter, TimeSource time, Supplier<StoreHealth> health) {
    this.watchman = watchman;
    this.arbiter = arbiter;
    this.time = time;
    this.history = new History(arbiter.tally(), arbiter::rules, now());
    this.store = new StoreWatch(health, history, now());
    this.changes = new Changes(time);
    changes.started(rules());
    watchman.eachSecond(this::second);
  }

  private int rules() {
    return arbiter.rules().domains().stream().mapToInt(each -> each.allRules().size()).sum();
  }

  private long now() {
    return Math.floorDiv(time.epochNanos(), 1_000_000_000L);
  }

  private void second(long second) {
    Tick tick = history.tick(second);
    store.read(second);
    if (second % USAGE_SECONDS == 0) {
      lookForOverflow();
    }
    listeners.forEach(listener -> listener.accept(tick));
  }

  private void lookForOverflow() {
    Map<String, Long> times = new HashMap<>();
    for (RequestLimiter.Usage usage : arbiter.usage()) {
      if (usage.overflowed() > 0) {
        String label = arbiter.tally().label(usage.meter().rule(), arbiter::rules);
        if (label != null) {
          times.merge(label, usage.overflowed(), Long::sum);
        }
      }
    }
    times.forEach(history::overflowed);
  }

  /** The last changes of the rules. */
  public Changes changes() {
    return changes;
  }

  /** The state of the store over the last minute, as of this second. */
  public StoreMinute store() {
    return store.latest();
  }

  /**
   * The state of the store over the last minute, as of now. Use it in questions to {@link #recall}.
   */
  public StoreMinute storeNow() {
    return store.read(now());
  }

  /** Notifies {@code listener} once a second, on the watchman's thread. */
  public void eachTick(Consumer<Tick> listener) {
    listeners.add(listener);
  }

  /**
   * Runs {@code question} on the watchman's thread. It sees every decision made before this call.
   */
  public <T> CompletionStage<T> recall(Function<History, T> question) {
    return watchman.ask(
        () -> {
          history.read(now());
          return question.apply(history);
        });
  }
}
