package io.weir.redis;

import io.weir.TimeSource;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The time of decisions: Redis's own, or in tests a time sent with the call. */
final class Clock {
  /** Sent in place of a time: Redis must use its own clock. */
  static final long OF_REDIS = -1;

  private final @Nullable TimeSource given;
  private final LongSupplier nanos;
  private final TimeSource wall;

  private Clock(@Nullable TimeSource given, LongSupplier nanos, TimeSource wall) {
    this.given = given;
    this.nanos = nanos;
    this.wall = wall;
  }

  static Clock ofRedis() {
    return ofRedis(Clock::systemNanos);
  }

  /** Redis's own clock; {@code wall} is the wall clock of this process. */
  static Clock ofRedis(TimeSource wall) {
    return ofRedis(wall, System::nanoTime);
  }

  /** The same in a process whose monotonic clock is {@code nanos}. */
  static Clock ofRedis(TimeSource wall, LongSupplier nanos) {
    return new Clock(null, nanos, wall);
  }

  static Clock given(TimeSource time) {
    return given(time, time::epochNanos);
  }

  /** Redis uses {@code time}, and this process measures intervals by {@code nanos}. */
  static Clock given(TimeSource time, LongSupplier nanos) {
    return new Clock(time, nanos, Clock::systemNanos);
  }

  /** The time to send, in microseconds since the epoch. */
  long micros() {
    return given == null ? OF_REDIS : Math.floorDiv(given.epochNanos(), 1000L);
  }

  /** Measures the age of cached refusals and leases in this process. */
  long nanos() {
    return nanos.getAsLong();
  }

  /**
   * The raw wall clock, in microseconds since the epoch. It is compared with another clock, so it
   * must not smooth its steps.
   */
  long wallMicros() {
    return Math.floorDiv(wall.epochNanos(), 1000L);
  }

  private static long systemNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** The time of a decision that Redis did not make. */
  long epochMillis() {
    TimeSource time = given == null ? TimeSource.system() : given;
    return Math.floorDiv(time.epochNanos(), 1_000_000L);
  }
}
