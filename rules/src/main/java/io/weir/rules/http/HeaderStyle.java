package io.weir.rules.http;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which headers tell of limits, and in which unit.
 *
 * @param families those that are sent
 * @param reset what {@code X-RateLimit-Reset} counts
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

  /** What {@code X-RateLimit-Reset} counts: there is one name for it, and four customs. */
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
