package io.weir.insight;

import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.insight.series.Changes;
import io.weir.insight.series.DecisionHistory;
import io.weir.insight.series.StoreLastMinute;
import io.weir.insight.series.StoreMonitor;
import io.weir.insight.series.Tick;
import io.weir.rules.RequestLimiter;
import io.weir.runtime.BackgroundThread;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The {@link DecisionHistory} of decisions and the {@link Changes} of rules. Thread-safe. */
public final class ActivityHistory {
  private static final int USAGE_SECONDS = 5;

  private final BackgroundThread thread;
  private final DecisionEngine decisionEngine;
  private final TimeSource time;
  private final DecisionHistory decisionHistory;
  private final Changes changes;
  private final StoreMonitor store;
  private final List<Consumer<Tick>> listeners = new CopyOnWriteArrayList<>();

  /**
   * Starts with the rules in force.
   *
   * @param thread reads the counters
   * @param health the current state of the store
   */
  ActivityHistory(
      BackgroundThread thread,
      DecisionEngine decisionEngine,
      TimeSource time,
      Supplier<StoreHealth> health) {
    this.thread = thread;
    this.decisionEngine = decisionEngine;
    this.time = time;
    this.decisionHistory =
        new DecisionHistory(decisionEngine.decisionCounters(), decisionEngine::rules, now());
    this.store = new StoreMonitor(health, decisionHistory, now());
    this.changes = new Changes(time);
    changes.started(rules());
    thread.eachSecond(this::second);
  }

  private int rules() {
    return decisionEngine.rules().domains().stream().mapToInt(each -> each.allRules().size()).sum();
  }

  private long now() {
    return Math.floorDiv(time.epochNanos(), 1_000_000_000L);
  }

  private void second(long second) {
    Tick tick = decisionHistory.tick(second);
    store.read(second);
    if (second % USAGE_SECONDS == 0) {
      lookForOverflow();
    }
    listeners.forEach(listener -> listener.accept(tick));
  }

  private void lookForOverflow() {
    Map<String, Long> times = new HashMap<>();
    for (RequestLimiter.Usage usage : decisionEngine.usage()) {
      if (usage.overflowed() > 0) {
        String label =
            decisionEngine
                .decisionCounters()
                .label(usage.limitGroup().rule(), decisionEngine::rules);
        if (label != null) {
          times.merge(label, usage.overflowed(), Long::sum);
        }
      }
    }
    times.forEach(decisionHistory::overflowed);
  }

  /** The last changes of the rules. */
  public Changes changes() {
    return changes;
  }

  /** The state of the store over the last minute, as of this second. */
  public StoreLastMinute store() {
    return store.latest();
  }

  /**
   * The state of the store over the last minute, as of now. Use it in queries passed to {@link
   * #recall}.
   */
  public StoreLastMinute storeNow() {
    return store.read(now());
  }

  /** Notifies {@code listener} once a second, on the background thread. */
  public void eachTick(Consumer<Tick> listener) {
    listeners.add(listener);
  }

  /** Runs {@code query} on the background thread. It sees every decision made before this call. */
  public <T> CompletionStage<T> recall(Function<DecisionHistory, T> query) {
    return thread.ask(
        () -> {
          decisionHistory.read(now());
          return query.apply(decisionHistory);
        });
  }
}
