package io.weir.client.quota;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a server said of one limit: how much it gives in all, how much of it is left, and when there
 * is more. Nothing that was said is believed to be negative or beyond reason.
 *
 * @param policy the limit's name; empty if it has none
 * @param limit how many requests it gives in a window
 * @param window in how much time it gives that many
 * @param remaining how many are left now
 * @param growsAfter when more is left than now
 */
public record Quota(
    String policy,
    OptionalLong limit,
    Optional<Duration> window,
    OptionalLong remaining,
    Optional<Duration> growsAfter) {
  /** Checks that all of it is there. */
  public Quota {
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(limit, "limit");
    Objects.requireNonNull(window, "window");
    Objects.requireNonNull(remaining, "remaining");
    Objects.requireNonNull(growsAfter, "growsAfter");
  }

  /** Whether it was said that nothing is left. */
  public boolean isEmpty() {
    return remaining.equals(OptionalLong.of(0));
  }

  /** The same limit with nothing left until then. */
  public Quota exhausted(Duration wait) {
    return new Quota(policy, limit, window, OptionalLong.of(0), Optional.of(wait));
  }
}
