package io.weir.tck.model;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A decision of a model or a store; equal if a caller sees no difference.
 *
 * @param allowed whether the request is allowed
 * @param decidedBy the limit that decided
 * @param remaining how many requests of cost 1 would be allowed now
 * @param retryAfter until the same request fits; zero when it did, empty when it never does
 * @param delay how long to delay the request
 * @param limits the status of each limit
 */
public record ObservedDecision(
    boolean allowed,
    Limit decidedBy,
    long remaining,
    Optional<Duration> retryAfter,
    Duration delay,
    List<ObservedLimit> limits) {

  /**
   * The status of one limit.
   *
   * @param limit the limit
   * @param remaining how many requests of cost 1 it would allow now
   * @param retryAfter until the request fits; empty when it never does
   * @param growsAfter until more remain; empty when nothing is spent
   * @param resetAfter until it is full, or its window ends
   */
  public record ObservedLimit(
      Limit limit,
      long remaining,
      Optional<Duration> retryAfter,
      Optional<Duration> growsAfter,
      Duration resetAfter) {

    static ObservedLimit of(LimitStatus limitStatus) {
      return new ObservedLimit(
          limitStatus.limit(),
          limitStatus.remaining(),
          limitStatus.retryAfter(),
          limitStatus.growsAfter(),
          limitStatus.resetAfter());
    }

    /** Whether this one makes the caller wait longer; never is longest. */
    boolean refusesLongerThan(ObservedLimit other) {
      if (other.retryAfter.isEmpty() || retryAfter.isEmpty()) {
        return other.retryAfter.isPresent();
      }
      return retryAfter.get().compareTo(other.retryAfter.get()) > 0;
    }
  }

  /** The decision of a store. */
  public static ObservedDecision of(Decision decision) {
    return new ObservedDecision(
        decision.allowed(),
        decision.limit(),
        decision.remaining(),
        decision.retryAfter(),
        decision.delay(),
        decision.standings().stream().map(ObservedLimit::of).toList());
  }

  /**
   * Combines several limits: allowed if all allow; the least remaining; the longest wait of those
   * that refuse. The limit with that wait decided, or the one with least remaining; the first of
   * equal ones.
   */
  static ObservedDecision together(boolean allowed, Duration delay, List<ObservedLimit> limits) {
    ObservedLimit decider = limits.get(0);
    long remaining = decider.remaining();
    for (ObservedLimit other : limits) {
      remaining = Math.min(remaining, other.remaining());
      if (allowed ? other.remaining() < decider.remaining() : other.refusesLongerThan(decider)) {
        decider = other;
      }
    }
    Optional<Duration> retryAfter = allowed ? Optional.of(Duration.ZERO) : decider.retryAfter();
    return new ObservedDecision(allowed, decider.limit(), remaining, retryAfter, delay, limits);
  }

  /** Whether the request can never fit. */
  public boolean neverFits() {
    return retryAfter.isEmpty();
  }

  /** The wait in whole milliseconds, rounded up; −1 when it never fits: as in the vectors. */
  public long retryAfterMillis() {
    return retryAfter.map(ObservedDecision::millisRoundedUp).orElse(-1L);
  }

  /** The delay in whole milliseconds, rounded up. */
  public long delayMillis() {
    return millisRoundedUp(delay);
  }

  private static long millisRoundedUp(Duration duration) {
    return duration.plusNanos(999_999).toMillis();
  }
}
