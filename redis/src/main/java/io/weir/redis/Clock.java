package io.weir.redis;

import io.weir.TimeSource;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The time of decisions: Redis's own, or in tests one that is sent along. */
final class Clock {
  /** In place of a time: Redis is to look at its own clock. */
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

  /** Redis's own, in a process whose wall clock is {@code wall}. */
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

  /** Redis has {@code time}, and this process counts {@code nanos} from anywhere. */
  static Clock given(TimeSource time, LongSupplier nanos) {
    return new Clock(time, nanos, Clock::systemNanos);
  }

  /** What to send along, in microseconds since the epoch. */
  long micros() {
    return given == null ? OF_REDIS : Math.floorDiv(given.epochNanos(), 1000L);
  }

  /** By which memories and leases of this process age. */
  long nanos() {
    return nanos.getAsLong();
  }

  /**
   * The wall clock as it is, in microseconds since the epoch: it is compared with another, and a
   * time that follows its steps slowly would agree with neither.
   */
  long wallMicros() {
    return Math.floorDiv(wall.epochNanos(), 1000L);
  }

  private static long systemNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  /** The time of a decision that Redis has not made. */
  long epochMillis() {
    TimeSource time = given == null ? TimeSource.system() : given;
    return Math.floorDiv(time.epochNanos(), 1_000_000L);
  }
}
