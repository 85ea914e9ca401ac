package io.weir.insight.series;

import io.weir.StoreHealth;
import io.weir.StoreHealth.Outage;
import io.weir.StoreHealth.State;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of the store over the last minute. Belongs to the background thread, except {@link
 * #latest}.
 *
 * <ul>
 *   <li>Down: no part of the store is called now.
 *   <li>Degraded: some part of it is not called, or returns errors. Also if in the last minute one
 *       decision in a thousand was made without the store, or one call in a thousand failed, and at
 *       least five did. So it stays degraded for a minute after an outage with decisions.
 *   <li>Up: otherwise. One late response among thousands is counted, but must not raise an alert.
 * </ul>
 */
public final class StoreMonitor {
  private static final int CALLS = 0;
  private static final int ERRORS = 1;
  private static final int TOLERATED = 1000; // one in this many
  private static final int FEWEST_ERRORS = 5; // the same number opens a circuit breaker
  private static final int MAX_RULES = 50;
  private static final long MINUTE_MILLIS = 60_000;

  private final Supplier<StoreHealth> store;
  private final DecisionHistory decisionHistory;
  private final LastMinute lastMinute;
  private long calls;
  private long errors;
  private State state = State.UP;
  private long sinceMillis;
  private volatile StoreLastMinute latest;

  /**
   * Starts a minute.
   *
   * @param second now, since the epoch
   */
  public StoreMonitor(Supplier<StoreHealth> store, DecisionHistory decisionHistory, long second) {
    this.store = store;
    this.decisionHistory = decisionHistory;
    this.lastMinute = new LastMinute(2, second);
    this.sinceMillis = second * 1000;
    StoreHealth before = store.get(); // failures from before this node are not part of an outage
    this.calls = before.calls();
    this.errors = before.errors();
    this.latest = read(second);
  }

  /** As of the last second. */
  public StoreLastMinute latest() {
    return latest;
  }

  /**
   * As of now. The history must have been read before.
   *
   * @param second now, since the epoch
   */
  public StoreLastMinute read(long second) {
    StoreHealth health = store.get();
    lastMinute.add(CALLS, health.calls() - calls, second);
    lastMinute.add(ERRORS, health.errors() - errors, second);
    calls = health.calls();
    errors = health.errors();
    OutcomeCounts decided = decisionHistory.lastMinute();
    Outage outage = outage(health, second * 1000);
    State now = state(health, decided, second);
    if (now != state) {
      sinceMillis = second * 1000;
      if (outage != null && outage.ended().isEmpty()) {
        sinceMillis = outage.began().toEpochMilli();
      }
      state = now;
    }
    latest =
        new StoreLastMinute(
            now,
            sinceMillis,
            health,
            lastMinute.sum(CALLS, second),
            lastMinute.sum(ERRORS, second),
            decided.fallbacks(),
            rules(outage),
            outage);
    return latest;
  }

  private State state(StoreHealth health, OutcomeCounts decided, long second) {
    if (health.isDown()) {
      return State.DOWN;
    }
    long failed = lastMinute.sum(ERRORS, second);
    boolean isLate =
        isMuch(decided.fallbacks(), decided.all())
            || (failed >= FEWEST_ERRORS && isMuch(failed, lastMinute.sum(CALLS, second)));
    return isLate || !health.isWell() ? State.DEGRADED : State.UP;
  }

  private static boolean isMuch(long some, long all) {
    return some > 0 && some * TOLERATED >= all;
  }

  private static @Nullable Outage outage(StoreHealth health, long nowMillis) {
    List<Outage> all = health.outages();
    if (all.isEmpty()) {
      return null;
    }
    Outage last = all.get(all.size() - 1);
    boolean isRecent =
        last.ended().map(end -> nowMillis - end.toEpochMilli() < MINUTE_MILLIS).orElse(true);
    return isRecent ? last : null;
  }

  private List<StoreLastMinute.OfRule> rules(@Nullable Outage outage) {
    Map<String, Long> counts = decisionHistory.lastMinuteFallbacks();
    if (counts.isEmpty() && outage != null && outage.ended().isEmpty()) {
      counts = outage.decisions().byName();
    }
    return counts.entrySet().stream()
        .map(each -> new StoreLastMinute.OfRule(each.getKey(), each.getValue()))
        .sorted(
            Comparator.comparingLong(StoreLastMinute.OfRule::fallbacks)
                .reversed()
                .thenComparing(StoreLastMinute.OfRule::rule))
        .limit(MAX_RULES)
        .toList();
  }
}
