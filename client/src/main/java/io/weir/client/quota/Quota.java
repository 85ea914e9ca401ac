package io.weir.client.quota;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a server reported about one limit: its size, what is left, and when it grows. Negative and
 * implausible values are discarded while reading. Immutable.
 *
 * @param policy the limit's name; empty if it has none
 * @param limit the number of requests per window
 * @param window the length of the window
 * @param remaining how many are left now
 * @param growsAfter the time until more is left than now
 */
public record Quota(
    String policy,
    OptionalLong limit,
    Optional<Duration> window,
    OptionalLong remaining,
    Optional<Duration> growsAfter) {
  /** Checks for null. */
  public Quota {
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(limit, "limit");
    Objects.requireNonNull(window, "window");
    Objects.requireNonNull(remaining, "remaining");
    Objects.requireNonNull(growsAfter, "growsAfter");
  }

  /** Whether the server reported that nothing is left. */
  public boolean isEmpty() {
    return remaining.equals(OptionalLong.of(0));
  }

  /** The same limit with nothing left for {@code wait}. */
  public Quota exhausted(Duration wait) {
    return new Quota(policy, limit, window, OptionalLong.of(0), Optional.of(wait));
  }
}
