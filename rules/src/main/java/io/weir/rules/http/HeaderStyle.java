package io.weir.rules.http;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which rate limit headers are sent, and their units. Immutable.
 *
 * @param families the headers to send
 * @param reset the unit of {@code X-RateLimit-Reset}
 */
public record HeaderStyle(Set<Family> families, Reset reset) {
  /** All headers; resets in seconds since the epoch. */
  public static final HeaderStyle DEFAULT =
      new HeaderStyle(EnumSet.allOf(Family.class), Reset.EPOCH_SECONDS);

  /** Copies the set. */
  public HeaderStyle {
    families = Set.copyOf(families);
  }

  /** The same style with only these families. */
  public HeaderStyle with(Set<Family> only) {
    return new HeaderStyle(only, reset);
  }

  /** The same style with resets in another unit. */
  public HeaderStyle with(Reset unit) {
    return new HeaderStyle(families, unit);
  }

  boolean has(Family family) {
    return families.contains(family);
  }

  /** Headers that go together. */
  public enum Family {
    /** {@code X-RateLimit-Limit}, {@code -Remaining}, {@code -Reset} and {@code -Retry-After}. */
    X_RATELIMIT,
    /** {@code RateLimit-Policy} and {@code RateLimit} in the syntax of the IETF's draft 10. */
    RATELIMIT,
    /** {@code Retry-After}. */
    RETRY_AFTER
  }

  /** The unit of {@code X-RateLimit-Reset}: four conventions exist for this name. */
  public enum Reset {
    /** Seconds since the epoch, rounded up. */
    EPOCH_SECONDS,
    /** Milliseconds since the epoch, rounded up. */
    EPOCH_MILLIS,
    /** Seconds from now, rounded up. */
    DELTA_SECONDS,
    /** A date as HTTP writes it, rounded up to the second. */
    HTTP_DATE
  }
}
