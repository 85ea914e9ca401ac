package io.weir.redis;

import io.weir.TimeSource;
import org.jspecify.annotations.Nullable;

/** The time of decisions: Redis's own, or in tests one that is sent along. */
final class Clock {
  /** In place of a time: Redis is to look at its own clock. */
  static final long OF_REDIS = -1;

  private final @Nullable TimeSource given;

  private Clock(@Nullable TimeSource given) {
    this.given = given;
  }

  static Clock ofRedis() {
    return new Clock(null);
  }

  static Clock given(TimeSource time) {
    return new Clock(time);
  }

  /** What to send along, in microseconds since the epoch. */
  long micros() {
    return given == null ? OF_REDIS : Math.floorDiv(given.epochNanos(), 1000L);
  }

  /** By which memories of this process age. */
  long nanos() {
    return given == null ? System.nanoTime() : given.epochNanos();
  }

  /** The time of a decision that Redis has not made. */
  long epochMillis() {
    TimeSource time = given == null ? TimeSource.system() : given;
    return Math.floorDiv(time.epochNanos(), 1_000_000L);
  }
}
