package io.weir.redis;

import io.weir.Origin;
import io.weir.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The state of a Redis store: counts since it was opened, and the current state of each shard.
 * Immutable.
 *
 * @param calls how many script calls were sent
 * @param answered how many of them were answered in time
 * @param late how many were answered after their deadline, and so without effect on a decision
 * @param notSent how many were not sent, because their shard could not be called
 * @param shed how many were not sent, because calls in flight use up their share of the heap
 * @param failures how many sent calls failed, by kind: {@code timeout}, {@code disconnected} and so
 *     on; contains all kinds
 * @param decisions how many decisions were made, by origin
 * @param coalesced how many checks shared a call of another check
 * @param lost how many corrections of charges, including refunds, could not be made, and how many
 *     messages about local grants could not be sent
 * @param shards the parts of the data set with a primary of their own; one without a cluster
 * @param nodes how many stores share these buckets, as far as known
 * @param latency the response times
 */
public record RedisStatus(
    long calls,
    long answered,
    long late,
    long notSent,
    long shed,
    Map<String, Long> failures,
    Map<Origin, Long> decisions,
    long coalesced,
    long lost,
    List<Shard> shards,
    int nodes,
    Latency latency) {
  /** Makes immutable copies. */
  public RedisStatus {
    failures = Map.copyOf(failures);
    decisions = Map.copyOf(decisions);
    shards = List.copyOf(shards);
  }

  /** How many calls were not answered in time. */
  public long timeouts() {
    return failures.getOrDefault("timeout", 0L);
  }

  /** How many decisions were made without Redis because it could not be called. */
  public long fallbacks() {
    return decisions.getOrDefault(Origin.LOCAL, 0L) + decisions.getOrDefault(Origin.FAILURE, 0L);
  }

  /** The state in the form that all stores share. */
  StoreHealth health(List<StoreHealth.Outage> outages) {
    long failed = failures.values().stream().mapToLong(Long::longValue).sum();
    boolean isCalled = shards.stream().anyMatch(shard -> shard.state() != State.OPEN);
    return new StoreHealth(
        calls + notSent + shed,
        failed + notSent + shed,
        shed,
        isCalled ? latency.p50() : Duration.ZERO,
        isCalled ? latency.p99() : Duration.ZERO,
        shards.stream().map(Shard::health).toList(),
        nodes,
        outages);
  }

  /** The state of a shard's breaker. */
  public enum State {
    /** The shard decides. */
    CLOSED,
    /**
     * The shard responds, but some or all calls fail, as when it has no memory left; {@code
     * on_failure} decides those.
     */
    DEGRADED,
    /** The shard is not called: {@code on_failure} decides everything. */
    OPEN
  }

  /**
   * One shard.
   *
   * @param name its address, or another name
   * @param state the state of its breaker
   * @param since for how long
   * @param changes how often the state has changed
   * @param reason why it is not called, or was not the last time; empty if it always was
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
   * The response times of calls that were answered in time, in the last half to full minute, from a
   * sample.
   *
   * @param samples the number of samples
   * @param p50 the median, zero without samples
   * @param p99 the 99th percentile
   */
  public record Latency(long samples, Duration p50, Duration p99) {}
}
