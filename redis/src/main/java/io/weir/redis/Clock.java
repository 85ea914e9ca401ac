package io.weir.redis;

import io.weir.TimeSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The time of decisions: Redis's own, or in tests one that is sent along. */
final class Clock {
  /** In place of a time: Redis is to look at its own clock. */
  static final long OF_REDIS = -1;

  private final @Nullable TimeSource given;
  private final LongSupplier nanos;

  private Clock(@Nullable TimeSource given, LongSupplier nanos) {
    this.given = given;
    this.nanos = nanos;
  }

  static Clock ofRedis() {
    return new Clock(null, System::nanoTime);
  }

  static Clock given(TimeSource time) {
    return new Clock(time, time::epochNanos);
  }

  /** Redis has {@code time}, and this process counts {@code nanos} from anywhere. */
  static Clock given(TimeSource time, LongSupplier nanos) {
    return new Clock(time, nanos);
  }

  /** What to send along, in microseconds since the epoch. */
  long micros() {
    return given == null ? OF_REDIS : Math.floorDiv(given.epochNanos(), 1000L);
  }

  /** By which memories and leases of this process age. */
  long nanos() {
    return nanos.getAsLong();
  }

  /** The time of a decision that Redis has not made. */
  long epochMillis() {
    TimeSource time = given == null ? TimeSource.system() : given;
    return Math.floorDiv(time.epochNanos(), 1_000_000L);
  }
}
