package io.weir.insight.series;

import io.weir.StoreHealth;
import io.weir.StoreHealth.Outage;
import io.weir.StoreHealth.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the store over the last minute.
 *
 * @param state up, degraded or down; see {@link StoreMonitor} for the conditions
 * @param sinceMillis since when, in milliseconds since the epoch
 * @param health its current state
 * @param calls how many calls the last minute had
 * @param errors how many of them timed out, failed or were not made
 * @param fallbacks how many decisions of the last minute were made without the store
 * @param rules the rules of these decisions, the most affected first; during an outage also those
 *     of the whole outage
 * @param outage the current outage, or the last one if it ended within the last minute
 */
public record StoreLastMinute(
    State state,
    long sinceMillis,
    StoreHealth health,
    long calls,
    long errors,
    long fallbacks,
    List<OfRule> rules,
    @Nullable Outage outage) {
  /** Copies the list. */
  public StoreLastMinute {
    rules = List.copyOf(rules);
  }

  /**
   * A rule with decisions that were made without the store.
   *
   * @param rule its label
   * @param fallbacks how many in the last minute; of the whole outage if the last minute had none
   */
  public record OfRule(String rule, long fallbacks) {}
}
