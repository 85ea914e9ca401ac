package io.weir.redis;

import io.weir.Origin;
import io.weir.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How a Redis store is doing: counts since it was opened, and how each shard stands now.
 *
 * @param calls how many script calls were sent
 * @param answered how many of them were answered in time
 * @param late how many were answered after their deadline, which helped nobody
 * @param notSent how many were not sent, since their shard could not be asked
 * @param failures how many sent calls failed, by kind: {@code timeout}, {@code disconnected} and so
 *     on; all kinds are there
 * @param decisions how many decisions were made, by what they rest on
 * @param coalesced how many checks shared a call that another check made
 * @param lost how many corrections of charges, refunds among them, could not be made, and messages
 *     of what a node has granted by itself not be told
 * @param shards each part of the data set that has a primary of its own; one without a cluster
 * @param nodes how many stores share these buckets, as far as is known
 * @param latency how long answers take
 */
public record RedisStatus(
    long calls,
    long answered,
    long late,
    long notSent,
    Map<String, Long> failures,
    Map<Origin, Long> decisions,
    long coalesced,
    long lost,
    List<Shard> shards,
    int nodes,
    Latency latency) {
  /** Copies what is not immutable. */
  public RedisStatus {
    failures = Map.copyOf(failures);
    decisions = Map.copyOf(decisions);
    shards = List.copyOf(shards);
  }

  /** How many calls were not answered in time. */
  public long timeouts() {
    return failures.getOrDefault("timeout", 0L);
  }

  /** How many decisions were made without Redis because it could not be asked. */
  public long fallbacks() {
    return decisions.getOrDefault(Origin.LOCAL, 0L) + decisions.getOrDefault(Origin.FAILURE, 0L);
  }

  /** What those want to know of it who do not care which store it is. */
  StoreHealth health(List<StoreHealth.Outage> outages) {
    long failed = failures.values().stream().mapToLong(Long::longValue).sum();
    boolean isAsked = shards.stream().anyMatch(shard -> shard.state() != State.OPEN);
    return new StoreHealth(
        calls + notSent,
        failed + notSent,
        isAsked ? latency.p50() : Duration.ZERO,
        isAsked ? latency.p99() : Duration.ZERO,
        shards.stream().map(Shard::health).toList(),
        nodes,
        outages);
  }

  /** How a shard's breaker stands. */
  public enum State {
    /** The shard decides. */
    CLOSED,
    /**
     * The shard answers, but some or all with an error, as when it has no memory left: what it does
     * not decide is decided by {@code on_failure}.
     */
    DEGRADED,
    /** The shard is not asked: all is decided by {@code on_failure}. */
    OPEN
  }

  /**
   * One shard.
   *
   * @param name its address, or what else it is called
   * @param state how its breaker stands
   * @param since for how long
   * @param changes how often the state has changed
   * @param reason why it is not asked, or was not at last; empty if it always was
   */
  public record Shard(String name, State state, Duration since, long changes, String reason) {
    private StoreHealth.Part health() {
      StoreHealth.State stands =
          switch (state) {
            case CLOSED -> StoreHealth.State.UP;
            case DEGRADED -> StoreHealth.State.DEGRADED;
            case OPEN -> StoreHealth.State.DOWN;
          };
      return new StoreHealth.Part(name, stands, reason);
    }
  }

  /**
   * How long calls that were answered in time took, in the last half to full minute, by a sample of
   * them.
   *
   * @param samples how many were looked at
   * @param p50 the median, zero without samples
   * @param p99 what one in a hundred exceeds
   */
  public record Latency(long samples, Duration p50, Duration p99) {}
}
