package io.weir.seeing;

import io.weir.StoreHealth;
import io.weir.StoreHealth.Outage;
import io.weir.StoreHealth.State;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of the store over the last minute. Belongs to the {@link Watchman}, except {@link
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
final class StoreWatch {
  private static final int CALLS = 0;
  private static final int ERRORS = 1;
  private static final int TOLERATED = 1000; // one in this many
  private static final int FEWEST_ERRORS = 5; // the same number opens a circuit breaker
  private static final int MOST_RULES = 50;
  private static final long MINUTE_MILLIS = 60_000;

  private final Supplier<StoreHealth> store;
  private final History history;
  private final Minute minute;
  private long calls;
  private long errors;
  private State state = State.UP;
  private long sinceMillis;
  private volatile StoreMinute latest;

  /**
   * Starts a minute.
   *
   * @param second now, since the epoch
   */
  StoreWatch(Supplier<StoreHealth> store, History history, long second) {
    this.store = store;
    this.history = history;
    this.minute = new Minute(2, second);
    this.sinceMillis = second * 1000;
    StoreHealth before = store.get(); // failures from before this node are not part of an outage
    this.calls = before.calls();
    this.errors = before.errors();
    this.latest = read(second);
  }

  /** As of the last second. */
  StoreMinute latest() {
    return latest;
  }

  /**
   * As of now. The history must have been read before.
   *
   * @param second now, since the epoch
   */
  StoreMinute read(long second) {
    StoreHealth health = store.get();
    minute.add(CALLS, health.calls() - calls, second);
    minute.add(ERRORS, health.errors() - errors, second);
    calls = health.calls();
    errors = health.errors();
    Counts decided = history.lastMinute();
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
        new StoreMinute(
            now,
            sinceMillis,
            health,
            minute.sum(CALLS, second),
            minute.sum(ERRORS, second),
            decided.fallbacks(),
            rules(outage),
            outage);
    return latest;
  }

  private State state(StoreHealth health, Counts decided, long second) {
    if (health.isDown()) {
      return State.DOWN;
    }
    long failed = minute.sum(ERRORS, second);
    boolean isLate =
        isMuch(decided.fallbacks(), decided.all())
            || (failed >= FEWEST_ERRORS && isMuch(failed, minute.sum(CALLS, second)));
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

  private List<StoreMinute.OfRule> rules(@Nullable Outage outage) {
    Map<String, Long> counts = history.lastMinuteFallbacks();
    if (counts.isEmpty() && outage != null && outage.ended().isEmpty()) {
      counts = outage.decisions().byName();
    }
    return counts.entrySet().stream()
        .map(each -> new StoreMinute.OfRule(each.getKey(), each.getValue()))
        .sorted(
            Comparator.comparingLong(StoreMinute.OfRule::fallbacks)
                .reversed()
                .thenComparing(StoreMinute.OfRule::rule))
        .limit(MOST_RULES)
        .toList();
  }
}
