package io.weir;

/**
 * The clock of a limiter: the only access to time that limiters have. Implementations are
 * thread-safe.
 *
 * <p>A source should not go back; if it does, nothing is granted twice. Its range is that of
 * nanoseconds since the epoch in a {@code long}, the years 1677 to 2262.
 */
@FunctionalInterface
public interface TimeSource {
  /** Nanoseconds since the epoch. */
  long epochNanos();

  /**
   * Whether one time holds for all keys, as with a clock. A time from a recording holds only for
   * the key of its request, and must not make other keys' buckets expire.
   */
  default boolean isSharedByKeys() {
    return true;
  }

  /**
   * A source that continues from now without steps. Where this source follows the wall clock, the
   * result follows only the monotonic clock, which slowly drifts.
   */
  default TimeSource steady() {
    return this;
  }

  /**
   * The wall clock, carried forward by the monotonic clock. Steps forward are followed at once.
   * After a step back, time runs slower until the wall clock has caught up.
   */
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }

  /**
   * {@link #system()} for another wall clock than the system's: {@code wall}, which may step, is
   * carried forward by the monotonic clock. It is read once a second.
   */
  static TimeSource following(TimeSource wall) {
    return new SystemTime(System::nanoTime, wall::epochNanos);
  }

  /**
   * The system's time as of the last millisecond, kept by a daemon thread: reading it costs a
   * nanosecond instead of a call to the clock. It is late by a millisecond, or by more while that
   * thread is not scheduled.
   */
  static TimeSource coarse() {
    return CoarseTime.instance();
  }

  /** A clock for tests that moves only when it is set. */
  static ManualTime manual() {
    return new ManualTime(true);
  }

  /**
   * The times of a recording, set before each request: in order for each key, not across keys. No
   * key ever expires by it.
   */
  static ManualTime recorded() {
    return new ManualTime(false);
  }
}
