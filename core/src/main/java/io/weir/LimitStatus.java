package io.weir;

import java.time.Duration;
import java.util.Optional;

/**
 * The status of one limit for a key right after a decision. Immutable.
 *
 * <p>Times are primitive nanoseconds, so that a decision consists of a few small objects.
 */
public final class LimitStatus {
  private static final long NEVER = -1;

  private final Limit limit;
  private final long remaining;
  private final long waitNanos;
  private final long growthNanos;
  private final long resetNanos;

  private LimitStatus(
      Limit limit, long remaining, long waitNanos, long growthNanos, long resetNanos) {
    this.limit = limit;
    this.remaining = remaining;
    this.waitNanos = waitNanos;
    this.growthNanos = growthNanos;
    this.resetNanos = resetNanos;
  }

  /**
   * The status of a limit that the request fits, now or after a wait.
   *
   * @param waitNanos until the request fits; 0 when this limit allowed it
   * @param growthNanos until {@code remaining} next grows; 0 when nothing is spent
   * @param resetNanos until {@link #resetAfter}
   */
  public static LimitStatus of(
      Limit limit, long remaining, long waitNanos, long growthNanos, long resetNanos) {
    if (remaining < 0 || waitNanos < 0 || growthNanos < 0 || resetNanos < 0) {
      throw new IllegalArgumentException(
          "a standing has no negative numbers, but got remaining "
              + remaining
              + ", wait "
              + waitNanos
              + (", growth " + growthNanos + ", reset " + resetNanos));
    }
    return new LimitStatus(limit, remaining, waitNanos, growthNanos, resetNanos);
  }

  /** The status of a limit that can never give what the request costs. */
  public static LimitStatus neverFits(
      Limit limit, long remaining, long growthNanos, long resetNanos) {
    return new LimitStatus(limit, remaining, NEVER, growthNanos, resetNanos);
  }

  /** The limit. */
  public Limit limit() {
    return limit;
  }

  /** Whether this limit alone would have allowed the request. */
  public boolean allows() {
    return waitNanos == 0;
  }

  /** Whether the request costs more than the limit can ever give. */
  public boolean neverFits() {
    return waitNanos == NEVER;
  }

  /** How many requests of cost 1 would be allowed right now. */
  public long remaining() {
    return remaining;
  }

  /** How long until the request fits: zero if it fits now, empty if it never can. */
  public Optional<Duration> retryAfter() {
    return neverFits() ? Optional.empty() : Optional.of(Duration.ofNanos(waitNanos));
  }

  /** How long until {@link #remaining} next grows; empty when nothing is spent. */
  public Optional<Duration> growsAfter() {
    return growthNanos == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(growthNanos));
  }

  /**
   * How long until the bucket is full, the queue is empty, the window ends, or the oldest entry of
   * a log or of epochs expires.
   */
  public Duration resetAfter() {
    return Duration.ofNanos(resetNanos);
  }

  boolean refusesLongerThan(LimitStatus other) {
    return !other.neverFits() && (neverFits() || waitNanos > other.waitNanos);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof LimitStatus that
        && limit.equals(that.limit)
        && remaining == that.remaining
        && waitNanos == that.waitNanos
        && growthNanos == that.growthNanos
        && resetNanos == that.resetNanos;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(remaining * 31 + waitNanos) * 31 + limit.hashCode();
  }

  @Override
  public String toString() {
    return "Standing["
        + limit
        + ": remaining "
        + remaining
        + ", retry after "
        + (neverFits() ? "never" : Duration.ofNanos(waitNanos))
        + "]";
  }
}
